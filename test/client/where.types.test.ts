// biome-ignore-all format: a promise and what breaks it stand on two lines, so that the compiler finds them
// What types promise of conditions: paths that are there, operators that fit, in the client and in the code of a service.

import { anyone, json, many, one, resource, text } from 'duet-api'
import { createClient } from 'duet-api/client'
import type { RouteRecords } from '../../src/action/code/route-records.ts'
import type { desk } from '../support/domain/desk.ts'

/** Never called: its lines are only read. */
export async function promises(records: RouteRecords): Promise<void> {
  const client = createClient<typeof desk>('http://127.0.0.1:1', { version: 'v2' })
  const { tickets } = client
  tickets.list({ where: 'status = "open"' })
  tickets.list({ where: { status: { in: ['open', 'pending'] }, points: { gte: 1, lt: 5 }, dueAt: { lt: new Date() } } })
  tickets.list({ where: { or: [{ title: { startsWith: 'A' } }, { not: { assigneeId: { eq: 'usr_x' } } }] } })
  tickets.list({ where: { assignee: { name: { ne: 'Ann' } }, labels: { has: 'x' }, size: { gt: 5n }, cost: { eq: '1.00' } } })
  tickets.list({ where: { messages: { some: { author: { name: { eq: 'Ann' } } } }, tags: { none: { name: { eq: 'x' } } } } })
  tickets.list({ where: { parent: { below: 'tic_x', title: { eq: 'x' } } } })
  // @ts-expect-error people are no tree
  tickets.list({ where: { assignee: { below: 'usr_x' } } })
  tickets.urgent.list({ where: { id: { in: ['tic_x'] } } })
  client.users.owned.list('usr_x', { where: { title: { eq: 'x' } } })
  tickets.list({ where: { title: { contains: 'ink', endsWith: 'k' } } })
  // @ts-expect-error a choice has no parts
  tickets.list({ where: { status: { contains: 'op' } } })
  // @ts-expect-error there is no such path
  tickets.list({ where: { closed: { eq: true } } })
  // @ts-expect-error nor behind this relation
  tickets.list({ where: { assignee: { shown: { eq: true } } } })
  // @ts-expect-error none of its values
  tickets.list({ where: { status: { eq: 'gone' } } })
  // @ts-expect-error a number is no text
  tickets.list({ where: { title: { eq: 5 } } })
  // @ts-expect-error states have no order
  tickets.list({ where: { status: { lt: 'open' } } })
  // @ts-expect-error numbers begin with nothing
  tickets.list({ where: { points: { startsWith: '1' } } })
  // @ts-expect-error a list is asked for some and none
  tickets.list({ where: { messages: { body: { eq: 'x' } } } })
  // @ts-expect-error a relation is compared by its id
  tickets.list({ where: { owner: { eq: 'usr_x' } } })

  const Leaf = resource('Leaf', { prefix: 'lea', fields: { name: text({ max: 9 }), tree: one('Tree'), data: json({ maxBytes: 9 }), twigs: many('Twig', 'leaf') }, where: ['name', 'tree', 'tree.height', 'twigs.length', 'createdAt'], actions: { read: { allow: anyone } } })
  await records.list(Leaf, { where: { name: { eq: 'x' }, treeId: { in: ['tre_x'] }, tree: { height: { gt: 5 } }, createdAt: { lt: new Date() } }, sort: ['name'] })
  await records.list(Leaf, { where: { twigs: { some: { length: { eq: 1 } } } } })
  await records.list(Leaf, { where: 'name = "x"' })
  // @ts-expect-error there is no such path
  await records.list(Leaf, { where: { data: { eq: 1 } } })
  // @ts-expect-error nor this one
  await records.list(Leaf, { where: { tree: { age: { gt: 5 } } } })
  // @ts-expect-error a number is no text
  await records.list(Leaf, { where: { name: { eq: 5 } } })

  // @ts-expect-error there is no such field
  resource('Root', { prefix: 'roo', fields: { name: text({ max: 9 }) }, where: ['nam'], actions: { read: { allow: anyone } } })
  // @ts-expect-error text leads nowhere
  resource('Root', { prefix: 'roo', fields: { name: text({ max: 9 }) }, where: ['name.length'], actions: { read: { allow: anyone } } })
}
