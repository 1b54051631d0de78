import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ledger } from '../../../test/support/domain/ledger.ts'
import { mediaRoutes, rawRoutes } from '../../../test/support/domain/raw-routes.ts'
import { assertRefused, repository, runCommand } from '../../../test/support/process/command.ts'
import { makeSchema } from '../../graphql/schema/schema.ts'
import { defaultLimits } from '../../limits.ts'
import { graphqlVocabulary } from '../../resource/model/vocabulary.ts'
import { compileRoutes } from '../../rest/route/routes.ts'
import { compileService } from '../../service/start/compile-service.ts'
import { routeAccess } from '../service/access.ts'
import { loadService } from '../service/load-service.ts'
import { routesCommand } from './routes.ts'

const reference = 'reference/service.ts'
const stranger = 'test/support/domain/library.ts'
const radio = 'test/support/domain/radio-station.ts'
const social = 'test/support/domain/social.ts'

const run = (...args: readonly string[]) => runCommand(routesCommand, args)
const modelIn = async (path: string) => compileService(await loadService(path, repository))

describe('duet routes', () => {
  test('lists what may be null because it is hidden, where there is any', async () => {
    const title = 'Null where what they refer to is hidden'
    const lines = (await run('--service', social)).split('\n')
    const at = lines.indexOf(title)
    assert.deepEqual(lines.slice(at, at + 4), [
      title,
      '  Comment.also  if the caller may not read the Post',
      '  Bookmark.of   if the caller may not read the Post',
      '',
    ])
    assert.ok(!(await run('--service', reference)).includes(title))
  })
  for (const path of [reference, stranger, radio]) {
    test(`prints every route of ${path} with its rule`, async () => {
      const lines = (await run('--service', path)).split('\n')
      const { addresses } = compileRoutes(await modelIn(path))
      assert.ok(addresses.length > 10)
      for (const { version, template, endpoints } of addresses) {
        for (const method of endpoints.keys()) {
          const line = `  ${method.padEnd(6)} ${version.prefix}${template}`
          const match = lines.filter((each) => each.startsWith(`${line} `) && each.slice(line.length).trim() !== '')
          assert.equal(match.length, method === 'HEAD' || method === 'QUERY' ? 0 : 1, line)
        }
      }
    })

    test(`prints every field of the GraphQL schema of ${path} with its rule`, async () => {
      const { graphql } = JSON.parse(await run('--service', path, '--json'))
      const printed = new Set(
        graphql.map(({ type, field, access }: Record<string, string>) => access && `${type}.${field}`),
      )
      const schema = makeSchema(await modelIn(path), graphqlVocabulary(), defaultLimits)
      const sections = (await run('--service', path)).split('\n\n')
      for (const type of [
        schema.getQueryType()!,
        schema.getMutationType()!,
        schema.getSubscriptionType()!,
        schema.getType('User')!,
      ]) {
        const [section] = sections.filter((each) => each.startsWith(`GraphQL ${type}\n`))
        for (const field of Object.keys((type as ReturnType<typeof schema.getQueryType> & {}).getFields())) {
          assert.ok(printed.has(`${type}.${field}`), `${type}.${field}`)
          assert.match(section!, new RegExp(`^ .*\\b${field}\\b.*   *\\w`, 'm'))
        }
      }
    })
  }

  test('reports rules in words, in the names of the face', async () => {
    const { rest, graphql } = JSON.parse(await run('--service', reference, '--json'))
    const of = (path: string, method = 'GET') =>
      rest.find((each: Record<string, string>) => each['path'] === path && each['method'] === method).access
    const ofField = (type: string, field: string) =>
      graphql.find((each: Record<string, string>) => each['type'] === type && each['field'] === field).access
    assert.equal(of('/api/v2/posts/{id}'), 'anyone, while published_at is set; its author; holders of posts:publish')
    assert.equal(ofField('Query', 'post'), 'anyone, while publishedAt is set; its author; holders of posts:publish')
    assert.equal(of('/api/v2/articles/{id}/archive', 'POST'), 'holders of articles:archive')
    assert.match(of('/api/v2/users', 'POST'), /^anyone; .*; to write email_verified: holders of users:manage$/)
    assert.match(of('/api/v2/posts/{id}/comments'), /^readers of its post; only in posts readable by anyone, while/)
    assert.equal(ofField('Subscription', 'commentAdded'), 'readers of its post')
    assert.equal(ofField('User', 'email'), 'the account itself; holders of users:manage')
    assert.equal(ofField('Post', 'title'), 'readers of the record')
  })

  test('11.2.26 lists a batch by each key, with both rules', () => {
    const lines = routeAccess(compileService(ledger)).filter(({ path }) => path.includes('/customers/batch?by='))
    assert.deepEqual(
      lines.map(({ method, path }) => `${method} ${path}`),
      [
        'v1/customers/batch?by=foreign_id',
        'v1/customers/batch?by=region,code,level',
        'v2/customers/batch?by=external_id',
        'v2/customers/batch?by=region,code,level',
      ].map((each) => `POST /api/${each}`),
    )
    assert.equal(lines[0]!.access, 'to create: anyone who is signed in; to replace: its owner')
  })

  test('reports who may run a query, and which events there are', async () => {
    const { rest, graphql } = JSON.parse(await run('--service', radio, '--json'))
    const of = (path: string, method: string) =>
      rest.find((each: Record<string, string>) => each['path'] === path && each['method'] === method).access
    const readable = 'only tracks readable by anyone, while status is released; its artist'
    assert.equal(of('/api/v1/tracks/unaired', 'GET'), `holders of tracks:unaired; ${readable}`)
    assert.equal(of('/api/v1/shows/upcoming', 'GET'), 'anyone')
    assert.equal(of('/api/v1/tracks/import', 'POST'), 'holders of tracks:import')
    for (const field of ['mineTracks', 'mineTrackList']) {
      const match = graphql.find((each: Record<string, string>) => each['field'] === field)
      assert.equal(match.access, `anyone who is signed in; ${readable}`)
    }
  })

  test('prints the addresses of the author’s own', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
    const lines = (text: string) =>
      writeFile(
        join(folder, 'service.ts'),
        `import { api as reference } from '${join(repository, reference)}'\nexport const api = { ...reference, routes: [${text}] }\n`,
      )
    const handle = 'handle: async () => {}'
    await lines(`{ method: 'GET', path: '/api/v2/totals', summary: 'S', access: { rule: 'signedIn' }, ${handle} }`)
    const printed = await runCommand(routesCommand, [], { folder })
    assert.match(printed, /^ {2}GET {4}\/api\/v2\/totals +anyone who is signed in$/m)
    await rm(folder, { recursive: true })
  })

  test('14.2.7 lists the moves of the clock and the schedules', async () => {
    const lines = (await run('--service', reference)).split('\n')
    const at = lines.indexOf('What the service does by itself')
    assert.deepEqual(lines.slice(at + 1, at + 4), [
      '  Order.expire  at createdAt plus 1 day, from status pending, to cancelled',
      '  archive       every 1440 minutes; of missed ticks, the latest runs',
      '',
    ])
    assert.ok(!(await run('--service', stranger)).includes('by itself'))
  })

  test('reports a missing service', async () => {
    const from = (path: string) => run('--service', path)
    await assertRefused(run(), /^There is no service\.ts here: name its file with --service\.$/)
    await assertRefused(from('nowhere.ts'), /^There is no file nowhere\.ts\.$/)
    await assertRefused(from('src/limits.ts'), /^src\/limits\.ts exports no service\.$/)
    await assertRefused(from('.npmrc'), /^\.npmrc cannot be imported: /)
    await assertRefused(run('more'), /^Nothing is expected where "more" stands\.$/, 2)
    await assertRefused(run('--colour'), /^Unknown option '--colour'\.$/, 2)
  })
})

test('custom routes are listed with their whole path, and whether messages are signed', async () => {
  const lines = routeAccess(await modelIn(reference), [...rawRoutes, ...mediaRoutes])
  const accessOf = (path: string) => lines.find((each) => each.path === path)?.access
  assert.equal(accessOf('/api/v2/payments/webhook'), 'anyone, with a signed message')
  assert.equal(accessOf('/api/v2/exports/orders.csv'), 'anyone who is signed in')
  assert.equal(accessOf('/.well-known/security.txt'), 'anyone')
})
