// Members that are made when they are first asked for: what names there are, only types know.

/** `known`, and for any other name what `make` makes of it. */
export const lazily = (known: Record<string, unknown>, make: (name: string) => unknown): object =>
  new Proxy(known, {
    get(_, name) {
      // `then` is asked for by whoever awaits this, which is no promise.
      if (typeof name === 'symbol' || name === 'then') return undefined
      known[name] ??= make(name)
      return known[name]
    },
  })
