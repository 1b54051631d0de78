// An object whose members are created on first access; only types know their names.

export const lazily = (members: Record<string, unknown>, make: (name: string) => unknown): object =>
  new Proxy(members, {
    get(_, name) {
      // `await` reads `then`; this is no promise.
      if (typeof name === 'symbol' || name === 'then') return undefined
      members[name] ??= make(name)
      return members[name]
    },
  })
