// Random conditions, through both faces and on both databases, answer what filtering by hand would leave of the records that their
// caller can read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkOf } from '../../src/action/target/commit.ts'
import type { Model, ResourceModel } from '../../src/resource/model/model.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { createWriteStatements } from '../../src/store/sql/write/write-statements.ts'
import { desk } from '../support/domain/desk.ts'
import { questionsOf } from '../support/oracle/questions.ts'
import { createRandom, type Random } from '../support/oracle/random.ts'
import { AskedMaker, idsWhere, type Json, textOf, treeOf, type Visibility } from '../support/oracle/where.ts'
import type { Fixtures, Recipe, Recipes } from '../support/rows/fixtures.ts'
import { type Caller, type TestService, withService } from '../support/server/service.ts'

const { questions, seed } = questionsOf(150)
const callers: readonly Caller[] = ['anonymous', '{ann}', '{bob}', 'editor', 'admin']

withService(
  '12.1.4 a condition is what filtering by hand would be',
  (running) => {
    test(`12.1.4 for ${questions} random questions`, async () => {
      const service = running()
      const { model } = service
      const random = createRandom(seed)
      const recipes = manyRecords(random)
      const fixtures = service.fixtures(recipes)
      for (const name of Object.keys(recipes)) await fixtures.idOf(name)
      await watch(service, fixtures, random)
      const visibilities = new Map<Caller, Visibility>()
      for (const each of callers) visibilities.set(each, await visibilityOf(service, each, fixtures))
      const maker = new AskedMaker(random, model.byName.get('Ticket')!, visibilities.get('admin')!.records)
      let matches = 0
      for (let number = 0; number < questions; number++) {
        const as = random.one(callers)
        const question = maker.make(as !== 'anonymous')
        const expected = idsWhere(question, model.byName.get('Ticket')!, {
          ...visibilities.get(as)!,
          now: service.now(),
        }).toSorted()
        const text = textOf(question)
        const place = `${text} as ${as}, question ${number} of seed ${seed}`
        assert.deepEqual(await restIds(service, text, as, fixtures), expected, `REST: ${place}`)
        assert.deepEqual(
          await graphqlIds(service, treeOf(question) ?? text, as, fixtures),
          expected,
          `GraphQL: ${place}`,
        )
        matches += expected.length
      }
      assert(matches > questions, 'the questions are no empty ones')
      service.assertLog()
    })
  },
  { definition: desk },
)

async function restIds(
  service: TestService,
  where: string,
  as: Caller,
  fixtures: Fixtures,
): Promise<readonly string[]> {
  const line = `GET /api/v2/tickets?per_page=100&where=${encodeURIComponent(where)}`
  const { body, text } = await service.send(line, { as, fixtures })
  assert(body.data !== undefined, `${where}: ${text}`)
  return body.data.map(({ id }: Json) => id).toSorted()
}

async function graphqlIds(
  service: TestService,
  where: Json | string,
  as: Caller,
  fixtures: Fixtures,
): Promise<readonly string[]> {
  const [type, name] = typeof where === 'string' ? ['String', 'whereText'] : ['TicketWhere', 'where']
  const document = `query ($where: ${type}) { ticketList(limit: 100, ${name}: $where) { id } }`
  const { body, text } = await service.graphql(document, { as, fixtures, variables: { where } })
  assert(body.data?.ticketList != null, `${JSON.stringify(where)}: ${text}`)
  return body.data.ticketList.map(({ id }: Json) => id).toSorted()
}

/** All that somebody can read. */
async function visibilityOf(service: TestService, as: Caller, fixtures: Fixtures): Promise<Visibility> {
  const all = async (path: string): Promise<readonly Json[]> => {
    const records: Json[] = []
    for (let cursor = ''; ; ) {
      const { body, text } = await service.send(`GET /api/v2/${path}?limit=100${cursor}`, { as, fixtures })
      assert(body.data !== undefined, text)
      records.push(...body.data)
      if (body.meta.next_cursor === null) return records
      cursor = `&cursor=${body.meta.next_cursor}`
    }
  }
  const resources = (service.model as Model).resources as readonly ResourceModel[]
  const records = new Map<string, readonly Json[]>()
  for (const { name, path } of resources) records.set(name, await all(path))
  const links = new Map<string, readonly string[]>()
  for (const { id } of records.get('Ticket')!) {
    const watchers = await all(`tickets/${id}/watchers`)
    links.set(
      `Ticket.watchers.${id}`,
      watchers.map((each) => each['id'] as string),
    )
  }
  const me = as === 'anonymous' ? null : (await service.send('GET /api/v2/users/me', { as, fixtures })).body.data
  return { records, links, me, now: service.now() }
}

const words = ['Ada', 'ada', 'Äpfel', 'b', 'Bob', 'B\u{1f600}', 'bb', '"quoted" \\ it', "it's", '%', 'z\u{10ffff}', ' ']
const day = 86_400_000
const noon = Date.parse('2026-11-20T12:00:00Z')

function manyRecords(random: Random): Recipes {
  const maybe = <T>(value: T): T | null => (random.chance(0.4) ? null : value)
  const word = () => random.one(words)
  const person = (name: string): Recipe => ({ User: { name, nick: maybe(word()), shown: random.chance(0.6) } })
  const people = ['ann', 'bob', 'cy', 'dee', 'eve']
  const someone = () => `{${random.one(people)}}`
  const recipes: Record<string, Recipe> = Object.fromEntries(people.map((each) => [each, person(word())]))
  for (let number = 0; number < 40; number++) {
    const earlier = number === 0 ? null : maybe(`{ticket ${random.below(number)}}`)
    recipes[`ticket ${number}`] = {
      Ticket: {
        title: word(),
        status: random.one(['open', 'pending', 'closed']),
        priority: random.one(['LOW', 'NORMAL', 'HIGH']),
        kind: maybe(random.one(['bug', 'wish'])),
        points: maybe(random.below(9) - 4),
        cost: maybe(random.one(['-1.50', '0.00', '1.00', '12.50', '999999.99'])),
        budget: maybe(random.one(['-1.5000', '0.0001', '12.5000', '12.4999', '99999999.9999', '-0.0001'])),
        weight: maybe(random.one([-0.1, 0, 0.1, 1 / 3, 1e300, 123456789.123])),
        size: maybe(random.one([-9007199254740993n, 0n, 9007199254740993n, 9223372036854775807n])),
        dueAt: maybe(new Date(noon + (random.below(9) - 4) * day)),
        dueOn: maybe(new Date(noon + (random.below(9) - 4) * day).toISOString().slice(0, 10)),
        reference: maybe(random.one(['0197a3c2-5b1e-7d40-9f3a-6c2e8b7d1f05', 'f197a3c2-5b1e-7d40-9f3a-6c2e8b7d1f05'])),
        urgent: random.chance(0.5),
        labels: maybe(random.some(['x', 'y', 'z'], 2)),
        closed: random.chance(0.3),
        owner: someone(),
        assignee: maybe(someone()),
        parent: earlier,
      },
    }
  }
  const ticket = () => `{ticket ${random.below(40)}}`
  for (let number = 0; number < 60; number++)
    recipes[`message ${number}`] = {
      Message: { ticket: ticket(), author: someone(), body: word(), internal: random.chance(0.4) },
    }
  for (let number = 0; number < 30; number++)
    recipes[`tag ${number}`] = { Tag: { ticket: ticket(), name: word(), hidden: random.chance(0.4) } }
  return recipes
}

async function watch(service: TestService, fixtures: Fixtures, random: Random): Promise<void> {
  const relation = service.model.byName.get('Ticket')!.relations.get('watchers')!
  assert(relation.kind === 'manyToMany')
  const statements = createWriteStatements(dialectOf(service.engine))
  const pairs = new Set(
    Array.from({ length: 30 }, () => `ticket ${random.below(40)},${random.one(['ann', 'bob', 'cy', 'dee'])}`),
  )
  for (const pair of pairs) {
    const [ticket, person] = pair.split(',') as [string, string]
    const [source, target] = [await fixtures.idOf(ticket), await fixtures.idOf(person)]
    await service.store.write(function* () {
      yield linkOf(relation, source, target, statements.link(relation.link))
    })
  }
}
