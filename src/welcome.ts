// What a person reads who starts a service: where it is, and how to talk to it.

import { demoPassword } from './demo-password.ts'
import type { Model } from './resource/model.ts'
import type { RunningService } from './service.ts'
import { quote } from './store/sql/dialect.ts'
import { bind, type Program, query } from './store/store.ts'

/** So many accounts are named. */
const accountsShown = 3

/** Addresses to begin with; for a service with demo data also who can sign in, and two commands to try. */
export async function welcome({ url, model, store }: RunningService, hasDemo: boolean): Promise<string> {
  const version = model.versions.at(-1)!.name
  const addresses = [
    `Duet is listening on ${url}`,
    '',
    `  REST      ${url}/api/${version}/${model.resources[0]!.path}`,
    `  GraphQL   ${url}/graphql`,
    `  Health    ${url}/health/ready`,
  ]
  const logins = hasDemo ? await store.read(firstLogins(model)) : []
  const [login] = logins
  if (login === undefined) return `${addresses.join('\n')}\n\n`
  const credentials = JSON.stringify({ email: login, password: demoPassword })
  const commands = [
    '',
    `Demo accounts: ${logins.join(', ')}; password: ${demoPassword}`,
    '',
    'Sign in:',
    `  ${curl(`${url}/auth/login`, credentials)}`,
    ...exampleQuery(model).flatMap((text) => [
      'Ask GraphQL:',
      `  ${curl(`${url}/graphql`, JSON.stringify({ query: text }))}`,
    ]),
  ]
  return `${[...addresses, ...commands].join('\n')}\n\n`
}

const curl = (url: string, body: string): string => `curl -s ${url} -H 'Content-Type: application/json' -d '${body}'`

function* firstLogins({ accounts: { resource, login, status, active } }: Model): Program<readonly string[]> {
  const select = query(
    `select ${quote(login.name)} from ${quote(resource.table)} where "deleted_at" is null ` +
      `and ${quote(status.name)} = '${active}' order by "created_at", "id" limit ${accountsShown}`,
  )
  return (yield bind(select)).map(([text]) => String(text))
}

/** A question that anybody may ask: two records of the first resource that is for everybody. */
function exampleQuery({ resources }: Model): readonly string[] {
  const open = resources.find((each) => each.isPublic)
  if (open === undefined) return []
  const names = [...open.fields.values()].filter(({ name, spec }) => spec.kind === 'text' && !open.protect.has(name))
  const [name] = names.map((each) => ` ${each.name}`)
  return [`{ ${open.plural}(first: 2) { nodes { id${name ?? ''} } } }`]
}
