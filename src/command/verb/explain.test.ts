import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertRefused, repository, runCommand } from '../../../test/support/process/command.ts'
import { type Fixtures, kept } from '../../../test/support/rows/fixtures.ts'
import { createDatabase } from '../../../test/support/server/databases.ts'
import { type Caller, type TestService, withService } from '../../../test/support/server/service.ts'
import { compileRoutes, findAddress, isOfVersion, type ResourceEndpoint } from '../../rest/route/routes.ts'
import { findCaller } from '../../service/explain/caller.ts'
import { judge } from '../../service/explain/judge.ts'
import { explainCommand } from './explain.ts'

const people = {
  member: { User: { name: 'Member', email: 'member@example.com', role: 'VIEWER' } },
  writer: { User: { name: 'Writer', email: 'writer@example.com', role: 'EDITOR' } },
  'other writer': { User: { name: 'Other', email: 'other@example.com', role: 'EDITOR' } },
}
const draft = { title: 'Draft', content: 'Not yet.', tags: [], author: '{writer}' }
const records = {
  somebody: { User: { name: 'Somebody', role: 'VIEWER' } },
  suspended: { User: { name: 'Suspended', status: 'SUSPENDED' } },
  draft: { Post: draft },
  post: { Post: { ...draft, publishedAt: new Date('2026-11-01T12:00:00.000Z') } },
  'hidden comment': { Comment: { post: '{draft}', author: '{member}', content: 'Hm.' } },
  comment: { Comment: { post: '{post}', author: '{member}', content: 'Hm.' } },
  article: { Article: { title: 'Article', body: 'Words.', author: '{writer}', status: 'in_review' } },
  ...kept('{member}'),
  key: { ApiKey: { user: '{member}', name: 'Key', scopes: ['*'], prefix: 'duet_0000000' } },
  event: { SecurityEvent: { type: 'x', user: '{member}', ip: '127.0.0.1', requestId: 'r', details: {} } },
  order: {
    Order: {
      user: '{member}',
      status: 'paid',
      items: [{ product: '{product}', quantity: 1, unitPrice: 500 }],
      total: 500,
      currency: 'EUR',
    },
  },
}
const callers: readonly Caller[] = ['anonymous', '{member}', '{writer}', '{other writer}', 'admin']
/** What the id in a path may be, for each resource. */
const targets: Readonly<Record<string, readonly string[]>> = {
  users: ['{somebody}', '{suspended}'],
  posts: ['{draft}', '{post}', 'post_00000000000000000000000000', 'nonsense'],
  comments: ['{comment}', '{hidden comment}'],
  articles: ['{article}'],
  products: ['{product}'],
  orders: ['{order}'],
  'api-keys': ['{key}'],
  sessions: ['ses_00000000000000000000000000'],
  'sign-in-methods': ['{sign-in method}'],
  webhooks: ['{hook}'],
  'webhook-deliveries': ['{delivery}'],
  'security-events': ['{event}'],
  'deprecation-usage': ['use_00000000000000000000000000'],
}
/** Bodies that nothing is wrong with. */
const bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  users: { name: 'New', email: '{unique}@example.com', password: 'long enough for everybody' },
  posts: { title: 'T', content: 'C' },
  comments: { post_id: '{post}', content: 'C' },
  articles: { title: 'T', body: 'B' },
  products: { name: 'N', category: 'C', price: 1, currency: 'EUR', stock: 1 },
  orders: { items: [{ product_id: '{product}', quantity: 1 }] },
  'api-keys': { name: 'Key', scopes: ['read:posts'] },
  webhooks: { url: 'http://127.0.0.1:9/', events: ['postCreated'] },
}

function bodyFor({ kind, resource, action }: ResourceEndpoint, id: string): unknown {
  const full = bodies[resource.path] ?? {}
  if (kind === 'create') return full
  if (kind === 'createMany') return { [resource.path]: [full] }
  const names = new Set(action.accept.map(({ field }) => field))
  const changes = Object.fromEntries(Object.entries(full).filter(([name]) => names.has(name)))
  if (kind === 'updateMany') return { ids: [id], ...changes }
  if (kind === 'moveMany') return { ids: [id] }
  return kind === 'replace' || kind === 'update' ? changes : undefined
}

interface Question {
  readonly method: string
  /** `/api/v2/posts/{draft}/publish`. */
  readonly path: string
  readonly as: Caller
  readonly body: unknown
  /** The ids in its body decide, which nobody but the service looks at. */
  readonly isOpen: boolean
}

function questions({ model }: TestService): readonly Question[] {
  const { addresses } = compileRoutes(model)
  return addresses.flatMap(({ template, version, endpoints }) =>
    [...endpoints].flatMap(([method, endpoint]) => {
      if (version.name !== 'v2' || isOfVersion(endpoint) || method === 'HEAD' || method === 'QUERY') return []
      const isOpen = ['updateMany', 'deleteMany', 'moveMany'].includes(endpoint.kind)
      const { path: plural } = endpoint.within?.holder ?? endpoint.resource
      const ids = template.includes('{id}') || isOpen ? targets[plural]! : ['']
      return ids.flatMap((id) =>
        callers.map((as) => {
          const ids = endpoint.kind === 'deleteMany' ? `?ids=${id}` : ''
          const path = version.prefix + template.replace('{id}', id) + ids
          return { method, path, as, body: bodyFor(endpoint, id), isOpen }
        }),
      )
    }),
  )
}

async function foresee({ model, store, now }: TestService, method: string, path: string, as: string) {
  const caller = await findCaller(as, model, store)
  assert.ok(caller)
  const match = findAddress(path.split('?')[0]!, compileRoutes(model))
  return judge(
    { method, match, isByKey: false, own: null, clockOnly: null, caller, account: model.accounts.resource },
    store,
    now(),
  )
}

withService('duet explain', (service) => {
  let everybody: Fixtures | undefined
  /** The people are the same for all; what they ask about is there anew for each question. */
  async function world(): Promise<Fixtures> {
    everybody ??= service().fixtures(people)
    const fixtures = service().fixtures(records)
    for (const name of Object.keys(people)) fixtures.keep(name, await everybody.idOf(name))
    return fixtures
  }

  test('foresees what the service answers, for every route, caller and record', async () => {
    const differing: string[] = []
    const all = questions(service())
    for (const { method, path, as, body, isOpen } of all) {
      const fixtures = await world()
      const filled = await fixtures.fill({ path, body, who: as === 'admin' ? 'admin@example.com' : as })
      const foreseen = await foresee(service(), method, filled.path, filled.who)
      const answer = await service().send(`${method} ${filled.path}`, { as, fixtures, body: filled.body })
      const [seen, told] = [foreseen, { status: answer.status, code: answer.body?.error?.code ?? null }].map(
        ({ status, code }) => `${status} ${code}`,
      )
      if (seen !== told && !(isOpen && foreseen.code === null))
        differing.push(`${method} ${path} as ${as}: ${seen}, not ${told}`)
    }
    assert.ok(all.length > 300, `${all.length} questions`)
    assert.deepEqual(differing, [])
  })

  const explained = async (fixtures: Fixtures, as: string, line: string) => {
    const [method, path] = (await fixtures.fill(line)).split(' ') as [string, string]
    const args = ['--service', 'reference/service.ts', '--as', await fixtures.fill(as), method, path]
    const variables = { DATABASE_URL: service().databaseUrl }
    return runCommand(explainCommand, args, { variables, now: service().now })
  }
  const says = (text: string, ...lines: readonly string[]) => {
    for (const line of lines) assert.ok(text.split('\n').includes(line), `${line}\nis not in\n${text}`)
  }

  test('14.2.7 names the moves that the clock makes, also those that no route has', async () => {
    const fixtures = await world()
    const expire = 'at createdAt plus 1 day, from status pending, to cancelled'
    says(
      await explained(fixtures, '{member}', 'POST /api/v2/orders/{order}/expire'),
      `404 NOT_FOUND: only the clock makes this move, ${expire}.`,
    )
    says(
      await explained(fixtures, '{member}', 'POST /api/v2/orders/{order}/pay'),
      'What the clock does to such records:',
      `  expire: ${expire}`,
    )
    const read = await explained(fixtures, '{member}', 'GET /api/v2/orders/{order}')
    assert.ok(!read.includes('clock'))
    says(
      await explained(fixtures, '{member}', 'POST /api/v2/orders/{order}/expires'),
      '404 NOT_FOUND: no route has this path; duet routes lists them.',
    )
  })

  test('shows every alternative of the rule, and what of the record it looked at', async () => {
    const fixtures = await world()
    const writer = await fixtures.idOf('writer')
    says(
      await explained(fixtures, 'member@example.com', 'GET /api/v1/comments/{hidden comment}?fields=id'),
      'Who may read comments:',
      `  no   readers of its post (it is ${await fixtures.idOf('draft')}, of posts)`,
      '       no   anyone, while published_at is set (published_at is not set)',
      `       no   its author (author_id is ${writer})`,
      '       no   holders of posts:publish (VIEWER does not hold posts:publish)',
      '404 NOT_FOUND: the record exists, but the caller may not read it.',
      '  decides  404 record missing or hidden',
    )
    says(
      await explained(fixtures, '{other writer}', 'PATCH /api/v2/posts/{post}'),
      'Who may update posts; one of these is enough:',
      `  no   with posts:edit_own its author (author_id is ${writer})`,
      '  no   holders of posts:edit_any (EDITOR does not hold posts:edit_any)',
      '  decides  403 record readable, action not allowed',
    )
    says(
      await explained(fixtures, 'writer@example.com', 'PATCH /api/v2/posts/{post}'),
      `  yes  with posts:edit_own its author (author_id is ${writer}, the caller)`,
      '200: unless the body is malformed (400), or breaks a rule of the business (422) or a unique field (409).',
    )
    says(
      await explained(fixtures, 'anonymous', 'GET /api/v2/posts'),
      '  some anyone, while published_at is set',
      '  no   its author (the caller is anonymous)',
    )
  })

  test('reports records that are gone from those that never were, and states and rules that stand against it', async () => {
    const fixtures = await world()
    await service().send('DELETE /api/v2/posts/{post}', { as: 'admin', fixtures })
    const gone = await explained(fixtures, 'admin@example.com', 'GET /api/v2/posts/{post}')
    says(gone, '404 NOT_FOUND: the record was deleted.')
    const never = await explained(fixtures, 'admin@example.com', 'GET /api/v2/posts/post_00000000000000000000000000')
    says(never, '404 NOT_FOUND: there never was such a record.')
    const odd = await explained(fixtures, 'admin@example.com', 'GET /api/v2/posts/x')
    says(odd, '404 NOT_FOUND: x is no id of posts: they are post_ and 26 characters.')
    const state = await explained(fixtures, 'writer@example.com', 'POST /api/v2/articles/{article}/submit')
    says(state, '409 CONFLICT: To submit it, status must be draft; it is in_review.')
    const rule = await explained(fixtures, 'member@example.com', 'POST /api/v2/users/me/follow')
    says(rule, '422 BUSINESS_RULE_VIOLATION: You cannot follow yourself.', '  decides  422 rules of the business')
    const route = await explained(fixtures, 'member@example.com', 'PUT /api/v2/orders')
    says(route, '405 METHOD_NOT_ALLOWED: this address takes GET, HEAD, POST, QUERY, OPTIONS.')
    const barred = await explained(fixtures, '{suspended}', 'GET /api/v2/posts')
    says(barred, '401 INVALID_TOKEN: an account that is SUSPENDED cannot sign in, and its tokens are refused.')
  })

  test('reports which fields have rules of their own', async () => {
    const fixtures = await world()
    const read = await explained(fixtures, 'member@example.com', 'GET /api/v2/users/{somebody}')
    says(
      read,
      '  no   email: the account itself; holders of users:manage',
      '       no   the account itself (it is another account)',
    )
    const write = await explained(fixtures, 'member@example.com', 'PATCH /api/v2/users/me')
    says(write, '  no   role: holders of users:manage (VIEWER does not hold users:manage)')
  })

  test('knows every route that exists', async () => {
    const fixtures = await world()
    const ask = (line: string) => explained(fixtures, 'member@example.com', line)
    assert.match(await ask('HEAD /api/v2/posts'), /^HEAD \/api\/v2\/posts as [\s\S]+\n200: /)
    says(await ask('POST /api/auth/login'), 'A sign-in endpoint: it ignores credentials and has no rule.')
    says(await ask('OPTIONS /api/v2/posts'), '204: OPTIONS lists the methods of an address, and has no rule.')
    says(await ask('GET /api/posts'), '301: an address without a version leads to /api/v2/posts.')
    assert.match(await ask('POST /api/posts'), /404 NOT_FOUND/)
    const folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
    const file = join(folder, 'service.ts')
    const lines = [
      `import { api as reference } from '${repository}/reference/service.ts'`,
      `import { reportRoutes } from '${repository}/test/support/domain/custom-routes.ts'`,
      'export const api = { ...reference, routes: reportRoutes }',
    ]
    await writeFile(file, lines.join('\n'))
    const variables = { DATABASE_URL: service().databaseUrl }
    const args = ['--service', file, '--as', 'anonymous', 'GET', '/api/v2/reports/sales']
    assert.match(await runCommand(explainCommand, args, { variables }), /401 UNAUTHENTICATED/)
    await rm(folder, { recursive: true })
  })

  test('reports what it cannot do', async () => {
    const fixtures = await world()
    const ask = (...args: readonly string[]) => explained(fixtures, args[0]!, args[1]!)
    await assertRefused(
      ask('nobody@example.com', 'GET /api/v2/posts'),
      /^No account is called nobody@example\.com: name /,
    )
    await assertRefused(ask('anonymous', 'GET /health'), /^The path must be that of a REST route: \/api\/…\.$/)
    const args = ['--service', 'reference/service.ts', 'GET', '/api/v2/posts']
    await assertRefused(runCommand(explainCommand, args), /^Name the caller: --as /, 2)
    const nowhere = { variables: { DATABASE_URL: 'sqlite:no/such/file.db' } }
    const run = runCommand(explainCommand, [...args, '--as', 'anonymous'], nowhere)
    await assertRefused(
      run,
      /^The file \S+\/no\/such\/file\.db is not there: start the service first, or set DATABASE_URL /,
    )
    assert.ok(!existsSync(join(repository, 'no')), 'looking makes no file')
    const empty = await createDatabase(service().engine)
    const early = { variables: { DATABASE_URL: empty.url } }
    if (empty.engine === 'sqlite') writeFileSync(empty.url.slice('sqlite:'.length), '')
    await assertRefused(
      runCommand(explainCommand, [...args, '--as', 'anonymous'], early),
      /^The database has no tables of Duet: /,
    )
    await empty.drop()
    await assertRefused(runCommand(explainCommand, ['--as', 'anonymous', 'GET']), /^The path is missing\.$/, 2)
  })
})
