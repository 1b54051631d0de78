import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { vault } from '../../../test/support/domain/vault.ts'
import { repository, startsNothing } from '../../../test/support/process/command.ts'
import { withService } from '../../../test/support/server/service.ts'
import type { Finding } from '../../service/diagnosis/finding.ts'
import { quote } from '../../store/sql/text/dialect.ts'
import { bind, command } from '../../store/store.ts'
import { doctorCommand } from './doctor.ts'

const folder = mkdtempSync(join(tmpdir(), 'duet-test-'))
after(() => rmSync(folder, { recursive: true }))

interface Diagnosis {
  readonly exitCode: number
  readonly findings: readonly Finding[]
}
async function diagnose(
  file: string,
  variables: Readonly<Record<string, string>>,
  now: () => Date = () => new Date(),
): Promise<Diagnosis> {
  const printed: string[] = []
  const write = (text: string) => void printed.push(text)
  const environment = { folder: repository, variables, now, write, note: () => {}, ...startsNothing }
  const exitCode = await doctorCommand(['--service', file, '--json'], environment)
  return { exitCode, findings: (JSON.parse(printed.join('')) as Diagnosis).findings }
}
const statesOf = ({ findings }: Diagnosis) => findings.map(({ about, state }) => `${about} ${state}`)
const findingOf = ({ findings }: Diagnosis, name: string) => findings.find(({ about }) => about === name)!

withService('duet doctor', (service) => {
  const usual = 'reference/service.ts'
  const here = () => ({ DATABASE_URL: service().databaseUrl })
  const isPostgres = () => service().engine === 'postgres'

  test('finds a service well', async () => {
    const diagnosis = await diagnose(usual, here())
    assert.deepEqual(statesOf(diagnosis), [
      'configuration ok',
      'database ok',
      // Databases of tests do without synchronous_commit.
      ...(isPostgres() ? ['settings warning'] : []),
      'schema ok',
      ...(isPostgres() ? ['clock ok'] : []),
      'keys ok',
      // Order.expire and the schedule.
      'reactions ok',
      'reactions ok',
      'webhooks ok',
    ])
    assert.equal(diagnosis.exitCode, 0)
    if (isPostgres()) assert.match(findingOf(diagnosis, 'database').finding, /and 1 instance runs\.$/)
  })

  test('reports settings of the database that weaken what is promised', async (t) => {
    if (!isPostgres()) return t.skip()
    const { pathname } = new URL(service().databaseUrl)
    const set = (setting: string) =>
      service().store.write(function* () {
        yield bind(command(`alter database ${quote(pathname.slice(1))} ${setting}`))
      })
    const settings = async () => (await diagnose(usual, here())).findings.filter(({ about }) => about === 'settings')
    await set('set synchronous_commit to on')
    assert.deepEqual(
      (await settings()).map(({ state }) => state),
      ['ok'],
    )
    await set('set session_replication_role to replica')
    assert.match((await settings())[0]!.finding, /^session_replication_role is replica: /)
    await set('reset session_replication_role')
    await set('set synchronous_commit to off')
    assert.match((await settings())[0]!.finding, /^synchronous_commit is off: /)
  })

  test('reports a database of other definitions', async () => {
    const file = join(folder, `${service().engine}.ts`)
    const own = `${repository}/src/index.ts`
    writeFileSync(
      file,
      `import { api } from '${repository}/reference/service.ts'
       import { anyone, resource, text } from '${own}'
       const Stray = resource('Stray', { prefix: 'str', fields: { name: text({ max: 9 }) }, actions: { read: { allow: anyone } } })
       export default { ...api, resources: { ...api.resources, Stray } }`,
    )
    const diagnosis = await diagnose(file, here())
    assert.equal(findingOf(diagnosis, 'schema').state, 'warning')
    assert.equal(diagnosis.exitCode, 0)
  })

  test('reports a clock that is wrong, and a key that is old', async () => {
    const { exitCode, findings } = await diagnose(usual, here(), () => new Date(Date.now() + 500 * 86_400_000))
    const states = statesOf({ exitCode, findings })
    assert.ok(states.includes('keys warning'))
    assert.equal(states.includes('clock problem'), isPostgres())
    assert.equal(exitCode, isPostgres() ? 1 : 0)
  })

  test('reports Redis that does not answer, and not its password', async () => {
    const diagnosis = await diagnose(usual, { ...here(), REDIS_URL: 'redis://:hidden@127.0.0.1:1' })
    assert.equal(findingOf(diagnosis, 'redis').state, 'warning')
    assert.doesNotMatch(JSON.stringify(diagnosis), /hidden/)
  })

  test('advises on production', async () => {
    const diagnosis = await diagnose(
      usual,
      { ...here(), NODE_ENV: 'production', BASE_URL: 'http://a.example' },
      service().now,
    )
    const says = diagnosis.findings.map(({ finding }) => finding).join('\n')
    assert.match(says, /BASE_URL begins with http:/)
    assert.match(says, /SMTP_URL is not set/)
  })
})

test('a database that is not there, and a variable that cannot be, are problems', async () => {
  for (const [variables, about] of [
    [{ DATABASE_URL: `sqlite:${join(folder, 'none.db')}` }, 'database'],
    [{ DATABASE_URL: 'mysql://db' }, 'configuration'],
    [{ PORT: 'many' }, 'configuration'],
  ] as const) {
    const diagnosis = await diagnose('reference/service.ts', variables)
    assert.equal(diagnosis.exitCode, 1)
    assert.equal(findingOf(diagnosis, about).state, 'problem')
    assert.ok(findingOf(diagnosis, about).remedy)
  }
})

const [first, second] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string]
withService(
  'duet doctor of encrypted values',
  (service) => {
    test('reports with which keys they can be read', async () => {
      const fixtures = service().fixtures({ ann: { User: {} } })
      const sent = await service().send('POST /api/v1/hooks', { as: '{ann}', fixtures, body: { name: 'H', key: 'k' } })
      assert.equal(sent.status, 201, JSON.stringify(sent.body))
      const secrets = async (DATA_KEY: string) => {
        const variables = { DATABASE_URL: service().databaseUrl, DATA_KEY }
        const { exitCode, findings } = await diagnose('test/support/domain/vault.ts', variables)
        const { state, finding } = findingOf({ exitCode, findings }, 'secrets')
        return [exitCode, state, finding]
      }
      assert.deepEqual(await secrets(first), [
        0,
        'ok',
        '1 value of Hook.key can be read, by the first key of DATA_KEY.',
      ])
      const later =
        '1 value of Hook.key can be read, by a later key of DATA_KEY, which has to stay until duet keys reencrypt has run.'
      assert.deepEqual(await secrets(`${second},${first}`), [0, 'ok', later])
      const [exitCode, state, finding] = await secrets(second)
      assert.deepEqual([exitCode, state], [1, 'problem'])
      assert.match(String(finding), /^1 value of Hook\.key cannot be read: DATA_KEY lacks the key [0-9a-f]{8}\.$/)
    })
  },
  { definition: vault, environment: { DATA_KEY: first } },
)
