// Collections that Postman and Bruno import from the document, made by their own converters as their import does it: the requests are
// sent as they stand there, signing in first, to a service with its demo data. (contract 4.15.1)

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { start } from 'duet-api'
import { fillDemo } from '../../reference/demo.ts'
import { api } from '../../reference/service.ts'
import { type FetchedTool, installTool, withoutTool } from '../support/client/fetched-tool.ts'
import { runProcess } from '../support/process/run-process.ts'
import { freePort } from '../support/server/free-port.ts'

/** A request of a collection, with `{{variables}}` in it. */
interface SavedRequest {
  readonly name: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** The text of its bearer token; null where it has none. */
  readonly bearer: string | null
}
interface Collection {
  readonly requests: readonly SavedRequest[]
  readonly variables: Readonly<Record<string, string>>
}
interface Importer {
  readonly tool: FetchedTool
  /** A program that writes `collection.json` of `openapi.json`. */
  readonly convert: string
  /** Reads what it wrote. */
  readonly read: (collection: Loose) => Collection
  /** The variable that a person sets after signing in. */
  readonly token: string
}
// biome-ignore lint/suspicious/noExplicitAny: the formats of two other programs, of which little is read
type Loose = any

const postman: Importer = {
  tool: 'postman',
  token: 'bearerToken',
  // As somebody chooses who wants requests that can be sent: values from examples, optional parameters off.
  convert: `
import { readFileSync, writeFileSync } from 'node:fs'
import converter from 'openapi-to-postmanv2'
const options = { parametersResolution: 'Example', enableOptionalParameters: false, folderStrategy: 'Tags' }
converter.convertV2({ type: 'string', data: readFileSync('openapi.json', 'utf8') }, options, (error, { result, reason, output }) => {
  if (error || !result) throw error ?? new Error(reason)
  writeFileSync('collection.json', JSON.stringify(output[0].data))
})
`,
  read: ({ item, variable }) => ({
    variables: Object.fromEntries(variable.map(({ key, value }: Loose) => [key, value])),
    requests: flat(item, 'item').map(({ name, request: { method, url, header, body, auth } }) => ({
      name,
      method,
      url:
        [...url.host, ...url.path.map((part: string) => pathPart(part, url.variable, 'key'))].join('/') +
        queryOf(url.query.filter(isOn), 'key'),
      headers: Object.fromEntries(header.filter(isOn).map(({ key, value }: Loose) => [key, value])),
      body: body.raw ?? null,
      bearer: auth.bearer?.find(({ key }: Loose) => key === 'token').value ?? null,
    })),
  }),
}

const bruno: Importer = {
  tool: 'bruno',
  token: 'token',
  convert: `
import { readFileSync, writeFileSync } from 'node:fs'
import { openApiToBruno } from '@usebruno/converters'
writeFileSync('collection.json', JSON.stringify(await openApiToBruno(JSON.parse(readFileSync('openapi.json', 'utf8')))))
`,
  read: ({ items, environments }) => ({
    variables: Object.fromEntries(environments[0].variables.map(({ name, value }: Loose) => [name, value])),
    requests: flat(items, 'items').map(({ name, request: { method, url, headers, params, body, auth } }) => {
      const [paths, queries] = ['path', 'query'].map((kind) =>
        params.filter((each: Loose) => each.type === kind && each.enabled),
      )
      return {
        name,
        method,
        url:
          url
            .split('/')
            .map((part: string) => pathPart(part, paths, 'name'))
            .join('/') + queryOf(queries, 'name'),
        headers: {
          ...Object.fromEntries(
            headers.filter(({ enabled }: Loose) => enabled).map((each: Loose) => [each.name, each.value]),
          ),
          ...(body.mode === 'json' ? { 'Content-Type': 'application/json' } : {}),
        },
        body: body.mode === 'json' ? body.json : null,
        bearer: auth.bearer?.token ?? null,
      }
    }),
  }),
}

const flat = (items: readonly Loose[], member: string): readonly Loose[] =>
  items.flatMap((each) => (each[member] === undefined ? [each] : flat(each[member], member)))
const isOn = ({ disabled }: Loose): boolean => disabled !== true
/** `:id`, as its variable says. */
const pathPart = (part: string, values: readonly Loose[], key: string): string =>
  part.startsWith(':') ? values.find((each) => each[key] === part.slice(1)).value : part
const queryOf = (values: readonly Loose[], key: string): string =>
  values.length === 0 ? '' : `?${new URLSearchParams(values.map((each): [string, string] => [each[key], each.value]))}`

const filled = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (all, name) => variables[name] ?? all)

async function send({ method, url, headers, body, bearer }: SavedRequest, variables: Readonly<Record<string, string>>) {
  const authorization = bearer === null ? {} : { Authorization: `Bearer ${filled(bearer, variables)}` }
  const answer = await fetch(filled(url, variables), { method, headers: { ...headers, ...authorization }, body })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
}

async function collectionOf({ tool, convert, read }: Importer, folder: string, document: object): Promise<Collection> {
  await installTool(tool, folder)
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
  writeFileSync(join(folder, 'convert.mjs'), convert)
  const { code, printed } = await runProcess(process.execPath, ['convert.mjs'], folder)
  assert.equal(code, 0, printed)
  const { default: collection } = await import(join(folder, 'collection.json'), { with: { type: 'json' } })
  return read(collection)
}

for (const importer of [postman, bruno]) {
  describe(`what ${importer.tool} imports`, { skip: withoutTool(importer.tool), timeout: 300_000 }, () => {
    let folder = ''
    let service: Awaited<ReturnType<typeof start>>
    let baseUrl = ''
    let operationCount = 0
    let collection: Collection
    before(async () => {
      const port = String(await freePort())
      baseUrl = `http://127.0.0.1:${port}`
      const environment = { PORT: port, BASE_URL: baseUrl, DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'off' }
      service = await start(api, { environment, demo: fillDemo })
      folder = mkdtempSync(join(tmpdir(), 'duet-collection-'))
      const document = (await (await fetch(`${baseUrl}/api/v2/openapi.json`)).json()) as { paths: object }
      operationCount = Object.values(document.paths)
        .flatMap((item) => Object.keys(item))
        .filter((method) => !method.startsWith('x-')).length
      collection = await collectionOf(importer, folder, document)
    })
    after(async () => {
      await service?.stop()
      if (folder !== '') rmSync(folder, { recursive: true })
    })

    test('every operation is there, at the address of the service', () => {
      assert.equal(collection.requests.length, operationCount)
      assert.equal(collection.variables['baseUrl'], baseUrl)
    })

    test('4.15.1 a user signs in and works, with every request as it was imported', async () => {
      const sent = async (name: string, variables: Readonly<Record<string, string>>) =>
        send(collection.requests.find((each) => each.name === name)!, variables)
      const signedIn = await sent('Sign in', collection.variables)
      assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body))
      const variables = { ...collection.variables, [importer.token]: signedIn.body.access_token }
      for (const [name, status] of [
        ['List posts', 200],
        ['Get a post', 200],
        ['Create a post', 201],
        ['Change a post', 200],
        ['Publish a post', 200],
        ['Publish a post', 409],
        ['Create a comment', 201],
        ['Sum up posts', 200],
        ['List the posts of a user', 200],
      ] as const) {
        const answer = await sent(name, variables)
        assert.equal(answer.status, status, `${name}: ${JSON.stringify(answer.body)}`)
      }
    })
  })
}
