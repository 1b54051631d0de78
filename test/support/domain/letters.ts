// Letters of the mailroom, which tests of searches look for.

export const letter = (subject: string, more: object = {}) => ({
  Letter: { subject, round: '{word}', owner: '{sam}', ...more },
})
export const note = (of: string, text: string, more: object = {}) => ({ Note: { letter: `{${of}}`, text, ...more } })
export const people = { sam: { User: { name: 'Sam' } } }
export const ships = {
  one: letter('The ship'),
  two: letter('Two ships'),
  three: letter('Shipping out', { body: 'of paper' }),
  other: letter('A hip'),
}
