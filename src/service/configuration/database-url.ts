// Refuses parameters of DATABASE_URL without effect, as their author relies on them. (contract 0.1.10)

/** Parameters that the driver supports and that do not affect the contract. */
const parameters = new Set([
  'application_name',
  'host',
  'options',
  'password',
  'port',
  'ssl',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslnegotiation',
  'sslrootcert',
  'uselibpqcompat',
  'user',
])

export function databaseUrlProblem(databaseUrl: string): string | null {
  if (databaseUrl.startsWith('sqlite:')) {
    const at = databaseUrl.indexOf('?')
    return at === -1
      ? null
      : `DATABASE_URL has ${databaseUrl.slice(at)}, and a SQLite file takes no parameters: remove it.`
  }
  if (databaseUrl.includes('#'))
    return 'DATABASE_URL has a part behind #, which has no effect: write %23 if it belongs to the password.'
  const url = URL.parse(databaseUrl)
  if (url === null) return null
  const names = [...url.searchParams.keys()]
  const unused = names.find((name) => !parameters.has(name))
  if (unused !== undefined)
    return `DATABASE_URL has the parameter ${unused}, which has no effect: ${unused === 'dbname' ? 'name the database in the path' : 'remove it'}.`
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  return repeated === undefined
    ? null
    : `DATABASE_URL has the parameter ${repeated} twice, and one has an effect: remove the other.`
}
