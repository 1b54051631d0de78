// `duet types`: prints TypeScript types of a version's records, inputs and requests, for clients that do not import the service.

import { type Document, members, type Node, operations, resolve, texts } from '../../compatibility/openapi-document.ts'
import { type Command, readArguments } from '../service/command.ts'
import { loadServed } from '../service/served.ts'
import { versionOf } from './openapi.ts'

/** Prints a module without imports, by default for the current version. */
export const typesCommand: Command = async (args, { folder, variables, write }) => {
  const { values } = readArguments(args, ['service', 'version'])
  const served = await loadServed(values.service, folder, variables)
  write(printTypes(served.document(versionOf(served, values.version)) as Document))
  return 0
}

/** A type per schema, and `Requests` with the input and successful answer of each request. */
export function printTypes(document: Document): string {
  const schemas = Object.entries(members(document['components'] as Node, 'schemas'))
  const types = schemas.map(([name, schema]) => `export type ${name} = ${typeOf(schema, '')}\n`)
  const requests = operations(document).map(
    ({ method, path, operation }) => `  readonly '${method} ${path}': ${request(operation, document)}\n`,
  )
  const title = `// Types of ${document.info['title']} ${document.info['version']}, printed by \`duet types\`.\n`
  return `${[title, ...types, `export interface Requests {\n${requests.join('')}}\n`].join('\n')}`
}

function request(operation: Node, document: Document): string {
  const parameters = ((operation['parameters'] ?? []) as readonly Node[]).map((each) => resolve(each, document))
  const parts = ['path', 'query', 'header'].flatMap((place) => {
    const own = parameters.filter((each) => each['in'] === place)
    return own.length === 0
      ? []
      : [
          member(
            place,
            parameterType(own),
            own.some((each) => each['required'] === true),
          ),
        ]
  })
  const body = operation['requestBody'] as Node | undefined
  if (body !== undefined) parts.push(member('body', contentType(body), body['required'] === true))
  return `{\n${[...parts, member('answer', answerType(operation, document), true)].map((each) => `    ${each}\n`).join('')}  }`
}

const parameterType = (parameters: readonly Node[]): string => {
  const own = parameters.map((each) =>
    member(String(each['name']), typeOf(each['schema'] as Node, '    '), each['required'] === true),
  )
  return `{ ${own.join('; ')} }`
}
const contentType = (node: Node): string => {
  const [content] = Object.values(members(node, 'content'))
  return content === undefined ? 'null' : typeOf(content['schema'] as Node, '    ')
}
function answerType(operation: Node, document: Document): string {
  const answers = Object.entries(members(operation, 'responses')).filter(([status]) => status.startsWith('2'))
  return [...new Set(answers.map(([, answer]) => contentType(resolve(answer, document))))].join(' | ') || 'null'
}

const member = (name: string, type: string, isNeeded: boolean): string =>
  `readonly ${/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`}${isNeeded ? '' : '?'}: ${type}`

/** TypeScript cannot express lengths, patterns and bounds. */
function typeOf(schema: Node, indent: string): string {
  const to = schema['$ref']
  if (typeof to === 'string') return to.split('/').at(-1)!
  const branches = (schema['anyOf'] ?? schema['oneOf']) as readonly Node[] | undefined
  if (branches !== undefined) return branches.map((each) => typeOf(each, indent)).join(' | ')
  const values = schema['enum'] ?? (schema['const'] === undefined ? undefined : [schema['const']])
  if (values !== undefined) return (values as readonly unknown[]).map(literal).join(' | ')
  const types = [(schema['type'] ?? 'any') as string | readonly string[]].flat()
  return types.map((type) => ofType(type, schema, indent)).join(' | ')
}

function ofType(type: string, schema: Node, indent: string): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `readonly (${typeOf((schema['items'] ?? {}) as Node, indent)})[]`
    case 'object':
      return objectType(schema, indent)
    default:
      return 'unknown'
  }
}

function objectType(schema: Node, indent: string): string {
  const own = Object.entries(members(schema, 'properties'))
  if (own.length === 0) {
    return schema['additionalProperties'] === false
      ? '{ readonly [name: string]: never }'
      : '{ readonly [name: string]: unknown }'
  }
  const deeper = `${indent}  `
  const required = texts(schema, 'required')
  const lines = own.map(([name, part]) => {
    const note = noteOf(part)
    return `${note === '' ? '' : `${deeper}/** ${note} */\n`}${deeper}${member(name, typeOf(part, deeper), required.includes(name))}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

/** For editors, which know this form of deprecation. */
const noteOf = (schema: Node): string =>
  [schema['description'], schema['deprecated'] === true ? '@deprecated' : undefined]
    .filter((each): each is string => typeof each === 'string')
    .join(' ')
    .replaceAll('*/', '* /')

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value)
