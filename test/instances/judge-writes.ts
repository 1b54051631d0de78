// What the database must hold after the failure test: every acknowledged write once, and none of them half.

import type { Cluster } from './cluster.ts'
import type { Refreshed } from './refreshers.ts'
import type { Scene } from './scene.ts'
import type { Kind, Writes } from './writers.ts'

type Rows = Cluster['rows']

export async function faultsOfWrites(
  { keyed, marked, drafts, cancelled, contents }: Writes,
  { products }: Scene,
  rows: Rows,
): Promise<readonly string[]> {
  const posts = await rows<Record<'id' | 'mark' | 'content', string> & { published: boolean }>(
    'select id, title as mark, content, published_at is not null as published from posts',
  )
  const comments = await rows<Record<'id' | 'mark', string>>('select id, content as mark from comments')
  const orders = await rows<{ id: string; status: string }>('select id, status from orders')
  const faults: string[] = []

  for (const [kind, made] of [
    ['posts', posts],
    ['comments', comments],
  ] as const) {
    const byMark = Map.groupBy(made, ({ mark }) => mark)
    const idsOf = (mark: string) => (byMark.get(mark) ?? []).map(({ id }) => id)
    for (const [mark, { id }] of entriesOf(keyed, kind)) {
      if (idsOf(mark).join() !== id) faults.push(`${mark} was acknowledged as ${id} and is ${idsOf(mark)}`)
    }
    for (const [mark, { id }] of entriesOf(marked, kind)) {
      const found = idsOf(mark)
      if (id === null ? found.length > 1 : found.join() !== id)
        faults.push(`${mark}, without a key, was acknowledged as ${id} and is ${found}`)
    }
  }
  const acknowledgedOrders = new Set(entriesOf(keyed, 'orders').map(([, { id }]) => id))
  const boughtHere = await rows<{ id: string }>(
    'select o.id from orders o where exists (select 1 from jsonb_array_elements(o.items::jsonb) i where i.value::text like any ($1))',
    [[...products.keys()].map((id) => `%${id}%`)],
  )
  for (const { id } of boughtHere)
    if (!acknowledgedOrders.delete(id)) faults.push(`order ${id} was made twice, or for nobody`)
  for (const id of acknowledgedOrders) faults.push(`order ${id} was acknowledged and is not there`)
  for (const id of cancelled)
    if (orders.find((each) => each.id === id)?.status !== 'cancelled')
      faults.push(`order ${id} was cancelled and is not`)

  const postById = new Map(posts.map((each) => [each.id, each]))
  for (const id of drafts) if (postById.get(id)?.published !== false) faults.push(`nobody published ${id}`)
  for (const [id, { acknowledged, tried }] of contents) {
    const { content } = postById.get(id)!
    if (content !== acknowledged && !tried.has(content)) faults.push(`"${acknowledged}" of ${id} became "${content}"`)
  }
  return [
    ...faults,
    ...(await faultsOfStock(products, rows)),
    ...(await faultsOfOutbox(rows)),
    ...(await faultsOfKeys(keyed, rows)),
  ]
}

const entriesOf = <T extends { readonly kind: Kind }>(all: ReadonlyMap<string, T>, kind: Kind) =>
  [...all].filter(([, each]) => each.kind === kind)

/** What was sold and what is left make what there was. */
async function faultsOfStock(products: Scene['products'], rows: Rows): Promise<readonly string[]> {
  const found = await rows<{ id: string; stock: number; sold: number }>(
    `select p.id, p.stock, coalesce((
       select sum((i.value->>'quantity')::int) from orders o, jsonb_array_elements(o.items::jsonb) i
       where o.status <> 'cancelled' and (i.value->>'product') = p.id), 0)::int as sold
     from products p where p.id = any ($1)`,
    [[...products.keys()]],
  )
  return found.flatMap(({ id, stock, sold }) =>
    stock + sold === products.get(id) ? [] : [`${id} began with ${products.get(id)}: ${sold} sold, ${stock} left`],
  )
}

/** A record and its event are one transaction. Records of the demo data have none. */
async function faultsOfOutbox(rows: Rows): Promise<readonly string[]> {
  const wrong = await rows<{ id: string; name: string; count: number }>(
    `select r.id, r.name, count(e.number)::int as count from (
       select id, 'postCreated' as name, created_at from posts
       union all select id, 'postPublished', created_at from posts where published_at is not null
       union all select id, 'commentAdded', created_at from comments) r
     left join duet_event e on e.record_id = r.id and e.name = r.name
     where r.created_at >= (select min(at) from duet_event) group by 1, 2 having count(e.number) <> 1`,
  )
  return wrong.map(({ id, name, count }) => `${id} has ${count} events ${name}`)
}

async function faultsOfKeys(keyed: Writes['keyed'], rows: Rows): Promise<readonly string[]> {
  const kept = await rows<{ ids: string }>('select ids from duet_idempotency')
  const ids = new Set(kept.flatMap((row) => (JSON.parse(row.ids) as [string, number, number][]).map(([id]) => id)))
  const missing = [...keyed].filter(([, { id }]) => !ids.has(id)).map(([key]) => `the key ${key} is not kept`)
  return kept.length === keyed.size ? missing : [...missing, `${kept.length} keys are kept of ${keyed.size}`]
}

/** Each reuse that was answered as one was written down. */
export async function faultsOfReuse({ reuses }: Refreshed, rows: Rows): Promise<readonly string[]> {
  const found = await rows<{ email: string; count: number }>(
    `select u.email, count(*)::int as count from security_events s join users u on u.id = s.user_id
     where s.type = 'refresh_token_reused' group by 1`,
  )
  const written = new Map(found.map(({ email, count }) => [email, count]))
  return [...reuses].flatMap(([email, count]) =>
    (written.get(email) ?? 0) >= count ? [] : [`${email}: ${count} reuses, ${written.get(email) ?? 0} written down`],
  )
}
