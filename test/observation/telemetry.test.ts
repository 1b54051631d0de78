// The lines of docs/operating.md that start OpenTelemetry, run as an operator would; only the exporter is replaced, by one
// that prints.

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository } from '../support/process/command.ts'
import { startProcess } from '../support/process/service-process.ts'

const page = await readFile(join(repository, 'docs/operating.md'), 'utf8')
const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))

const exporter = `
export class OTLPTraceExporter {
  export(spans, done) {
    for (const { name, resource } of spans) console.log(resource.attributes['service.name'] + ': ' + name)
    done({ code: 0 })
  }
  async shutdown() {}
}
`

test('the lines that start OpenTelemetry trace the service, under the name that the environment gives it', async (t) => {
  const [, code] = /```js\n\/\/ telemetry\.js\n([\s\S]+?)```/.exec(page) ?? []
  assert.ok(code !== undefined, 'docs/operating.md has them')
  const folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
  t.after(() => rm(folder, { recursive: true }))
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const lines = code.replace("'@opentelemetry/exporter-trace-otlp-http'", "'./exporter.js'")
  assert.notEqual(lines, code)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'telemetry.js'), lines)
  await writeFile(join(folder, 'exporter.js'), exporter)
  const service = startProcess(
    ['--conditions=duet-source', `--import=${join(folder, 'telemetry.js')}`, 'reference/main.ts'],
    {
      folder: repository,
      environment: { DATABASE_URL: 'sqlite::memory:', OTEL_SERVICE_NAME: 'shop', OTEL_BSP_SCHEDULE_DELAY: '10' },
    },
  )
  try {
    await fetch(`${await service.listening()}/api/v2/posts`)
    await service.printing('shop: GET /api/v2/posts\n')
  } finally {
    await service.end('SIGTERM')
  }
})

test('the packages that the page installs are those that are tested, where they are', () => {
  const [, packages] = /^npm install (@opentelemetry\/.+)$/m.exec(page) ?? []
  const versions = packages!.split(' ').map((each) => each.split(/(?<=.)@/) as [string, string])
  const tested = versions.filter(([name]) => manifest.devDependencies[name] !== undefined)
  assert.equal(tested.length, 3)
  for (const [name, version] of tested) assert.ok(manifest.devDependencies[name].startsWith(`${version}.`), name)
})
