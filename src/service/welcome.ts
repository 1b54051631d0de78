// The first output in development: addresses, and commands to try.

import { exampleQuery } from './open/open-explorer.ts'
import type { RunningService } from './service.ts'
import { firstLogins } from './start/demo-examples.ts'

/** With demo accounts that have a password, also the accounts and two commands. */
export async function welcome(
  { url, model, store, pages }: RunningService,
  demoPassword: string | null,
): Promise<string> {
  const version = model.versions.at(-1)!.name
  const addresses = [
    `Duet is listening on ${url}`,
    '',
    `  REST      ${url}/api/${version}/${model.resources[0]!.path}`,
    `  GraphQL   ${url}/graphql`,
    ...pagesLine(await pages(), url),
    `  Health    ${url}/health/ready`,
  ]
  const logins = demoPassword !== null ? await firstLogins(model, store) : []
  const [login] = logins
  if (login === undefined) return `${addresses.join('\n')}\n\n`
  const question = exampleQuery(model)
  const credentials = JSON.stringify({ email: login, password: demoPassword })
  const commands = [
    '',
    `Demo accounts: ${logins.join(', ')}; password: ${demoPassword}`,
    '',
    'Sign in:',
    `  ${curl(`${url}/auth/login`, credentials)}`,
    ...(question === null
      ? []
      : ['Query GraphQL:', `  ${curl(`${url}/graphql`, JSON.stringify({ query: question }))}`]),
  ]
  return `${[...addresses, ...commands].join('\n')}\n\n`
}

/** Pages whose packages are installed. */
function pagesLine(paths: readonly string[], url: string): readonly string[] {
  const isPage = (path: string) => path !== '/graphql'
  const all = [
    ...paths.filter(isPage).map((path) => url + path),
    // For programs the same address is the API.
    ...(paths.every(isPage) ? [] : [`in a browser ${url}/graphql`]),
  ]
  return all.length === 0 ? [] : [`  Pages     ${all.join(', ')}`]
}

const curl = (url: string, body: string): string =>
  // A shell's single quotes cannot contain an apostrophe.
  `curl -s ${url} -H 'Content-Type: application/json' -d '${body.replaceAll("'", `'\\''`)}'`
