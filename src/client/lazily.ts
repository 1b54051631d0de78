// Members that are made when they are first asked for: what names there are, only types know.

/** `members`, and for any other name what `make` makes of it. */
export const lazily = (members: Record<string, unknown>, make: (name: string) => unknown): object =>
  new Proxy(members, {
    get(_, name) {
      // `then` is asked for by whoever awaits this, which is no promise.
      if (typeof name === 'symbol' || name === 'then') return undefined
      members[name] ??= make(name)
      return members[name]
    },
  })
