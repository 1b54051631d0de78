// Refuses parameters of DATABASE_URL without effect, as their author relies on them. (contract 0.1.10)

import { hostUrls } from '../../store/host-urls.ts'

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

/** One of several hosts takes writes, and is used. */
const targets = new Set(['read-write', 'primary'])

export function databaseUrlProblem(databaseUrl: string, variable: string): string | null {
  if (databaseUrl.startsWith('sqlite:')) {
    const at = databaseUrl.indexOf('?')
    return at === -1
      ? null
      : `${variable} has ${databaseUrl.slice(at)}, and a SQLite file takes no parameters: remove it.`
  }
  if (databaseUrl.includes('#'))
    return `${variable} has a part behind #, which has no effect: write %23 if it belongs to the password.`
  const urls = hostUrls(databaseUrl)
  const url = URL.parse(urls[0]!)
  if (url === null) return null
  const names = [...url.searchParams.keys()]
  const target = url.searchParams.get('target_session_attrs')
  const isTarget = (name: string) => urls.length > 1 && name === 'target_session_attrs'
  if (urls.length > 1 && target !== null && !targets.has(target))
    return `${variable} has target_session_attrs=${target}, and a service writes: it can be read-write or primary.`
  const unused = names.find((name) => !parameters.has(name) && !isTarget(name))
  if (unused !== undefined)
    return `${variable} has the parameter ${unused}, which has no effect: ${unused === 'dbname' ? 'name the database in the path' : 'remove it'}.`
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  return repeated === undefined
    ? null
    : `${variable} has the parameter ${repeated} twice, and one has an effect: remove the other.`
}
