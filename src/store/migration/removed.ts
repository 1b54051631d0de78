// What `apply --finish` has removed: columns and tables under another name, which `purge` drops.

const prefix = 'duet_removed_'
const nameLengthMax = 63

export const removedName = (name: string): string => `${prefix}${name}`.slice(0, nameLengthMax)
export const isRemoved = (name: string): boolean => name.startsWith(prefix)

export const restoreSentence = (what: string): string =>
  `${what} was removed, and its values are still stored. Restore them with: duet migrate apply`
