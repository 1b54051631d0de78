// A certified OpenID Connect provider, without its advice for production. Test files of one process share it, so that none of them restores
// the console.

for (const level of ['info', 'warn'] as const) {
  const print = console[level]
  console[level] = (...values: unknown[]) => {
    if (!String(values[0]).includes('oidc-provider ')) print(...values)
  }
}
export const { Provider: InMemoryProvider } = await import('oidc-provider')
