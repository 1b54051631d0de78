// Drafts a profile from an OpenAPI document: what it cannot know, such as accounts, is left for a person to fill in.

import { readFile } from 'node:fs/promises'
import type { Body, ResourceProfile } from './profile.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly maxLength?: number
  readonly minimum?: number
  readonly example?: unknown
  readonly examples?: readonly unknown[]
  readonly pattern?: string
}
interface Operation {
  readonly parameters?: readonly {
    readonly name?: string
    readonly description?: string
    readonly schema?: Schema
    readonly $ref?: string
  }[]
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly example?: Body }>>
  }
  readonly responses?: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >
}
type Path = Readonly<Record<string, Operation>>
export interface Document {
  readonly paths: Readonly<Record<string, Path>>
  readonly servers?: readonly { readonly url: string }[]
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

export async function readDocument(source: string): Promise<Document> {
  const text = /^https?:/.test(source) ? await (await fetch(source)).text() : await readFile(source, 'utf8')
  const document = JSON.parse(text) as Document
  if (typeof document.paths !== 'object') throw new Error(`${source} is no OpenAPI document in JSON.`)
  return document
}

/** The draft of a profile. Its resources are the paths at which records are created and, with an id, read. */
export function draftProfile(document: Document, source: string): object {
  const collections = collectionsOf(document)
  const names = new Map(collections.map((each) => [each.base, keyOf(each.path)]))
  const resources = collections.map((each) => [keyOf(each.path), draftResource(each, document, names)] as const)
  const [server] = document.servers ?? []
  const url = URL.canParse(server?.url ?? '', source) ? new URL(server!.url, source).href.replace(/\/$/, '') : source
  const account = (name: string) => ({
    email: `{{env:${name}_EMAIL}}`,
    password: `{{env:${name}_PASSWORD}}`,
  })
  return {
    edition: '2026.1',
    url: /^https?:/.test(url) ? new URL(url).origin : 'http://127.0.0.1:3000',
    versions: { current: collections.find(({ version }) => version !== null)?.version ?? 'v1' },
    accounts: { writer: account('WRITER'), other: account('OTHER') },
    resources: Object.fromEntries(resources),
  }
}

interface Collection {
  /** The path of the list, such as `/api/v2/posts`. */
  readonly base: string
  readonly version: string | null
  /** Below the version, such as `posts`. */
  readonly path: string
  readonly list: Path
  readonly one: Path
}

function collectionsOf({ paths }: Document): readonly Collection[] {
  return Object.entries(paths).flatMap(([target, one]): readonly Collection[] => {
    const [, base] = /^(.*\/[^/{}]+)\/\{[^/{}]+\}$/.exec(target) ?? []
    const list = base === undefined ? undefined : (paths[base] ?? paths[`${base}/`])
    if (base === undefined || list?.['post'] === undefined || one['get'] === undefined || base.includes('{')) return []
    const [, version = null] = /^\/api\/(v\d+)\//.exec(base) ?? []
    const path = version === null ? base.slice(1) : base.slice(`/api/${version}/`.length)
    return [{ base, version, path, list, one }]
  })
}

const keyOf = (path: string): string =>
  path.replaceAll(/[^A-Za-z0-9]+(\w)/g, (_, letter: string) => letter.toUpperCase())

function draftResource(
  { base, path, list, one }: Collection,
  document: Document,
  names: ReadonlyMap<string, string>,
): Partial<ResourceProfile> {
  const schema = bodyOf(list['post']!, document)
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, each]) => [name, resolve(each, document)] as const,
  )
  const isRequired = (name: string) => (schema.required ?? []).includes(name)
  const required = properties.filter(([name]) => isRequired(name))
  const sample = list['post']!.requestBody?.content?.['application/json']?.example ?? {}
  const create = Object.fromEntries(
    required.map(([name, each]) => [name, draftValue(name, { example: sample[name], ...each }, names, document)]),
  )
  const text = required.find(([name, each]) => isPlainText(each) && targetOf(name, names) === undefined)
  const integer = required.find(([, each]) => each.type === 'integer' && each.enum === undefined)
  const relations = required.flatMap(([name]) => {
    const target = targetOf(name, names)
    return target === undefined ? [] : [[name, target] as const]
  })
  const sort = ordersOf(list['get'])
  return {
    path,
    type: typeOf(one['get']!, path),
    as: 'writer',
    other: 'other',
    create,
    ...(text === undefined ? {} : { text: { field: text[0], max: text[1].maxLength ?? 1_000 } }),
    ...(text === undefined || one['patch'] === undefined
      ? {}
      : { change: { [text[0]]: '{{run}} changed {{unique}}' } }),
    ...(integer === undefined ? {} : { integer: { field: integer[0], min: integer[1].minimum ?? 0 } }),
    ...(relations.length === 0 ? {} : { relations: Object.fromEntries(relations) }),
    ...(sort.length === 0 ? {} : { sort }),
    ...(parameterOf(list['get'], 'q') === undefined ? {} : { search: true }),
    ...(document.paths[`${base}/batch`]?.['post'] === undefined ? {} : { batch: true }),
    ...(list['patch'] === undefined ? {} : { updateMany: true }),
    ...(one['delete'] === undefined ? {} : { delete: true }),
  }
}

/** The schema itself, in place of a reference to it. */
function resolve(schema: Schema, document: Document, depth = 0): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '')
  if (name !== undefined && depth < 10) return resolve(document.components?.schemas?.[name] ?? {}, document, depth + 1)
  if (schema.allOf !== undefined) {
    const all = schema.allOf.map((each) => resolve(each, document, depth + 1))
    const properties = Object.assign({}, ...all.map((each) => each.properties), schema.properties)
    return { ...schema, properties, required: all.flatMap((each) => each.required ?? []).concat(schema.required ?? []) }
  }
  const [first] = schema.oneOf ?? schema.anyOf ?? []
  return first !== undefined && schema.properties === undefined && depth < 10
    ? resolve(first, document, depth + 1)
    : schema
}

const bodyOf = ({ requestBody }: Operation, document: Document): Schema =>
  resolve(requestBody?.content?.['application/json']?.schema ?? {}, document)

const isPlainText = ({ type, format, pattern, enum: values }: Schema): boolean =>
  type === 'string' && format === undefined && pattern === undefined && values === undefined

function draftValue(name: string, schema: Schema, names: ReadonlyMap<string, string>, document: Document): unknown {
  const target = targetOf(name, names)
  if (target !== undefined) return `{{id:${target}}}`
  const [example = schema.example] = schema.examples ?? []
  const [choice] = schema.enum ?? []
  if (choice !== undefined) return choice
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (isPlainText({ ...schema, type })) return (schema.maxLength ?? 100) >= 40 ? '{{run}} {{unique}}' : '{{unique}}'
  if (schema.format === 'email') return '{{unique}}@{{run}}.example'
  if (example !== undefined) return example
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  if (type === 'boolean') return false
  if (type === 'array') return []
  if (type !== 'object') return '{{unique}}'
  const inner = resolve(schema, document)
  const members = (inner.required ?? []).map((each) => [
    each,
    draftValue(each, inner.properties?.[each] ?? {}, names, document),
  ])
  return Object.fromEntries(members) as Body
}

/** The resource that `post_id` or `postId` names: the one whose name begins so. */
function targetOf(field: string, names: ReadonlyMap<string, string>): string | undefined {
  const [, stem] = /^(.+?)(?:_id|Id)$/.exec(field) ?? []
  return stem === undefined
    ? undefined
    : [...names.values()].find((each) => each.toLowerCase().startsWith(stem.toLowerCase()))
}

/** The name of the schema that reading one record answers; else the path in capital letters. */
function typeOf(get: Operation, path: string): string {
  const text = JSON.stringify(get.responses?.['200'] ?? {})
  const [, name] = /#\/components\/schemas\/([A-Za-z0-9_]+)/.exec(text) ?? []
  const key = keyOf(path)
  return name ?? key[0]!.toUpperCase() + key.slice(1).replace(/s$/, '')
}

const parameterOf = (operation: Operation | undefined, name: string): Schema | undefined =>
  operation?.parameters?.find((each) => each.name === name)?.schema

/** Of all records: an order inside a reference is another question. (contract 12.2.42) */
function ordersOf(list: Operation | undefined): readonly string[] {
  const { schema, description = '' } = list?.parameters?.find(({ name }) => name === 'sort') ?? {}
  return enumOf(schema).filter((each) => !each.startsWith('-') && !description.includes(`By \`${each}\` only with`))
}

const enumOf = (schema: Schema | undefined): readonly string[] =>
  ((schema?.enum ?? schema?.items?.enum ?? []) as readonly string[]).filter((each) => typeof each === 'string')
