// What is printed in development when a service has started: its addresses, and first commands to try.

import { firstLogins } from './demo-logins.ts'
import { exampleQuery } from './open-explorer.ts'
import type { RunningService } from './service.ts'

/** Addresses to begin with; where demo accounts have a password also who can sign in, and two commands to try. */
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
  const logins = demoPassword !== null ? await store.read(firstLogins(model)) : []
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
    ...(question === null ? [] : ['Ask GraphQL:', `  ${curl(`${url}/graphql`, JSON.stringify({ query: question }))}`]),
  ]
  return `${[...addresses, ...commands].join('\n')}\n\n`
}

/** Only what is there: the pages are made of packages that many have not installed. */
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
  // A shell ends the quotes at an apostrophe, whatever stands before it.
  `curl -s ${url} -H 'Content-Type: application/json' -d '${body.replaceAll("'", `'\\''`)}'`
