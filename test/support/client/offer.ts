// What the front page offers to be tried, read from its HTML.

/** Of the reference service. */
export const roles = ['an anonymous caller', 'VIEWER', 'EDITOR', 'ADMIN'] as const
export type Role = (typeof roles)[number]

/** One action as the page offers it. */
export interface Offer {
  readonly resource: string
  readonly name: string
  readonly rights: Readonly<Record<Role, string>>
  readonly rest: { readonly line: string; readonly body: string | null } | null
  readonly graphql: { readonly query: string; readonly variables: object } | null
}

/** What the front page of the reference service offers, as its HTML has it. */
export function offersIn(html: string): readonly Offer[] {
  return html
    .split('<section class="resource"')
    .slice(1)
    .flatMap((section): readonly Offer[] => {
      const resource = /<h2[^>]*><a[^>]*>(\w+)</.exec(section)![1]!
      const table = /<table class="rights">([\s\S]*?)<\/table>/.exec(section)![1]!
      const cells = new Map(
        Array.from(table.matchAll(/<th scope="row"><code>(\w+)<\/code><\/th>(.*?)<\/tr>/g), ([, name, row]) => [
          name!,
          Array.from(row!.matchAll(/<td class="(?:all|own|inside|some|none)">([^<]*)</g), ([, text]) => text!),
        ]),
      )
      const actions = section.split('<details class="action">').slice(1)
      return actions.map((part) => {
        const name = /<summary><b>(\w+)</.exec(part)![1]!
        const rights = Object.fromEntries(roles.map((role, at) => [role, cells.get(name)![at]!]))
        return { resource, name, rights: rights as Offer['rights'], rest: restIn(part), graphql: graphqlIn(part) }
      })
    })
}

function restIn(part: string): Offer['rest'] {
  const method = /data-method="(\w+)"/.exec(part)?.[1]
  if (method === undefined) return null
  const body = /<textarea[^>]*>([\s\S]*?)<\/textarea>/.exec(part)?.[1]
  return {
    line: `${method} ${plain(/name="path" value="([^"]*)"/.exec(part)![1]!)}`,
    body: body === undefined ? null : plain(body),
  }
}

function graphqlIn(part: string): Offer['graphql'] {
  const address = /<a href="(\/graphql\?[^"]*)"/.exec(part)?.[1]
  if (address === undefined) return null
  const parameters = new URLSearchParams(plain(address).split('?')[1])
  return { query: parameters.get('query')!, variables: JSON.parse(parameters.get('variables')!) }
}

const plain = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_, unit: string) => String.fromCharCode(Number(unit)))
