// Errors in custom routes, reported before the service listens. (contract 5.4.3)

import type { Limits } from '../limits.ts'
import type { SpecBase } from '../resource/field/field.ts'
import { isKind, isWord, kindOf } from '../resource/field/registry.ts'
import { isActorDefault } from '../resource/field/relation.ts'
import type { RuleNode } from '../resource/language/rule/rule.ts'
import { freshIn, isFreshLimit } from '../resource/language/rule/rule-parts.ts'
import type { Model } from '../resource/model/model.ts'
import { graphqlVocabulary } from '../resource/model/vocabulary.ts'
import { a } from '../resource/naming/indefinite-article.ts'
import type { Permission } from '../resource/naming/permission.ts'
import { isWellKnown } from './access.ts'
import { definitionsOf, graphqlFieldOf, type RouteDefinition, type Specs } from './definition.ts'
import { headerName, reservedHeaders } from './header.ts'
import type { AuthorRoute } from './route.ts'

/** One sentence each; empty if the routes fit this model. */
export function routeContradictions(routes: readonly AuthorRoute[], model: Model, limits: Limits): readonly string[] {
  const definitions = definitionsOf(routes)
  return definitions.flatMap((definition, index) => {
    const where = `${definition.method} ${definition.path}`
    const problems = [
      ...likenessProblems(definition, definitions.slice(0, index)),
      ...pathProblems(definition, model),
      ...accessProblems(definition.access, model),
      ...fieldProblems(definition),
      ...headerProblems(definition.headers ?? {}),
      ...bodyProblems(definition, limits),
      ...signatureProblems(definition),
      ...graphqlProblems(definition, limits),
      ...(typeof definition.summary === 'string' && definition.summary !== ''
        ? []
        : ['it has no summary; write what it does']),
      ...(typeof definition.handle === 'function' ? [] : ['it has no handle; write the function that answers']),
    ]
    return problems.map((problem) => `${where}: ${problem}.`)
  })
}

function likenessProblems({ method, path }: RouteDefinition, before: readonly RouteDefinition[]): readonly string[] {
  const like = before.filter((other) => shapeOf(other.path) === shapeOf(path))
  if (like.some((other) => other.method === method)) return ['there is another route like it; strike one']
  const other = like.find((each) => each.path !== path)
  return other === undefined ? [] : [`its names differ from those of ${other.path}; write them alike`]
}
const shapeOf = (path: string): string => path.replaceAll(/\{[^}]*\}/g, '{}')

const name = '\\{[a-z][A-Za-z0-9]*\\}'
/** Without a dot: it names a scope, and must not be a document. */
const firstSegment = new RegExp(`^(?:[a-z0-9]+(?:-[a-z0-9]+)*|${name})$`)
const segment = new RegExp(`^(?:[a-z0-9]+(?:[-.][a-z0-9]+)*|${name})$`)

function pathProblems({ path, params = {} }: RouteDefinition, model: Model): readonly string[] {
  const problem = isWellKnown(path) ? wellKnownProblem(path) : versionProblem(path, model)
  if (problem !== null) return [problem]
  const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  return [
    ...placeholders
      .filter((name) => !Object.hasOwn(params, name))
      .map((name) => `{${name}} is not described; add it to params`),
    ...Object.keys(params)
      .filter((name) => !placeholders.includes(name))
      .map((name) => `its path has no {${name}}; strike it from params`),
    ...(new Set(placeholders).size === placeholders.length ? [] : ['its path has one name twice; give each its own']),
  ]
}

function versionProblem(path: string, { versions, byPath }: Model): string | null {
  const [empty, api, version = '', first = '', ...more] = path.split('/')
  const names = versions.map(({ name }) => name)
  if (empty !== '' || api !== 'api' || !names.includes(version))
    return `it is in no version; begin it with /api/${names.at(-1)}/`
  const odd = firstSegment.test(first) ? more.find((part) => !segment.test(part)) : first
  if (odd !== undefined) return noWord(odd)
  if (first.startsWith('{')) return fitsEverything
  if (byPath.has(first)) return `${first} are a resource; give that an action, or begin the path with another word`
  return null
}

function wellKnownProblem(path: string): string | null {
  const [first = '', ...more] = path.split('/').slice(2)
  const odd = [first, ...more].find((part) => !segment.test(part))
  if (odd !== undefined) return noWord(odd)
  if (first.startsWith('{')) return fitsEverything
  return ownWellKnown.has(path) ? 'the service answers there itself; choose another path' : null
}

const ownWellKnown: ReadonlySet<string> = new Set(
  ['jwks.json', 'api-catalog', 'api-contract'].map((name) => `/.well-known/${name}`),
)

const noWord = (part: string): string =>
  `its part "${part}" is no word; use small letters, digits and hyphens, or {a name}`
const fitsEverything = 'it begins with a name that fits everything; begin it with a word'

function accessProblems(rule: RuleNode | undefined, model: Model): readonly string[] {
  switch (rule?.rule) {
    case undefined:
      return ['it has no access; write who may use it']
    case 'anyone':
    case 'signedIn':
      return []
    case 'fresh':
      return isFreshLimit(rule.seconds)
        ? []
        : [`its fresh has ${rule.seconds / 60} minutes; write a whole number from 1 to 1,440`]
    case 'may': {
      if (rule.mine !== null)
        return ['its may has a rule about a record, and a route has none; keep only the permission']
      if (model.permissions.has(rule.verb as Permission)) return []
      return [
        `no resource knows the permission ${rule.verb}, so no role can hold it; use one of ${[...model.permissions].join(', ')}`,
      ]
    }
    case 'anyOf':
    case 'allOf':
      if (rule.rule === 'anyOf' && rule.rules.some((each) => freshIn(each).length > 0))
        return ['its anyOf has fresh; write it alone or in allOf']
      if (rule.rules.length === 0) return [`its ${rule.rule} is empty; give it a rule`]
      return rule.rules.flatMap((each) => accessProblems(each, model))
    default:
      return [`its rule ${rule?.rule} is about a record, and there is none; use anyone, signedIn or may`]
  }
}

function fieldProblems({
  params = {},
  query = {},
  headers = {},
  body,
  answer,
  status,
}: RouteDefinition): readonly string[] {
  const inBody = body === undefined ? [] : specProblems(body)
  return [
    ...[params, query, headers].flatMap(wordProblems),
    ...[...[params, query, headers].flatMap(specProblems), ...inBody, ...answerProblems(answer)],
    ...(status !== undefined && answer === undefined ? ['it has a status and no answer; strike one'] : []),
  ]
}

function headerProblems(headers: Specs): readonly string[] {
  return Object.keys(headers).flatMap((field) =>
    reservedHeaders.has(headerName(field).toLowerCase())
      ? [`its headers name ${headerName(field)}, which the service reads itself; strike it`]
      : [],
  )
}

function bodyProblems({ method, body, raw }: RouteDefinition, { rawBodyBytes }: Limits): readonly string[] {
  if (body === undefined && raw === undefined) return []
  const isBodiless = method === 'GET' || method === 'DELETE'
  const problems = isBodiless ? [`a ${method} has no body; strike it`] : []
  if (raw === undefined) return problems
  const { maxBytes, mediaTypes } = raw
  const isSize = Number.isInteger(maxBytes) && maxBytes >= 1 && maxBytes <= rawBodyBytes
  return [
    ...problems,
    ...(body === undefined ? [] : ['it has both a raw body and a described one; remove raw, or body']),
    ...(isSize ? [] : [`the maxBytes of its raw body is not between 1 and ${rawBodyBytes}; choose another`]),
    ...(mediaTypes?.length === 0 ? ['its raw body has no media type; name some, or strike mediaTypes'] : []),
    ...(mediaTypes ?? [])
      .filter((type) => !mediaTypeForm.test(type))
      .map((type) => `"${type}" is no media type; write it like application/json, in small letters`),
  ]
}
/** (RFC 6838 4.2) */
const mediaTypeForm = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/

function signatureProblems({ raw, body, signed }: RouteDefinition): readonly string[] {
  if (signed === undefined) return []
  const { headers, verify, contradictions = [] } = signed
  const reserved = (headers ?? []).filter((name) => reservedHeaders.has(name.toLowerCase()))
  return [
    ...(raw === undefined && body === undefined ? ['it is signed and has no body; give it a raw one, or a body'] : []),
    ...(typeof verify === 'function' ? [] : ['its signed has no verify; write the function that checks a message']),
    ...((headers ?? []).length > 0 ? [] : ['its signed reads no header; name those that verify reads']),
    ...reserved.map((name) => `its signed reads ${name}, which the service reads itself; strike it`),
    ...contradictions,
  ]
}

/** GraphQL itself finds names that are taken. (contract 5.5.12) */
function graphqlProblems(definition: RouteDefinition, { queryComplexity }: Limits): readonly string[] {
  const field = graphqlFieldOf(definition)
  if (field === null) return []
  const { name, cost } = field
  const { params = {}, query = {}, headers = {}, body = {}, raw, signed, answer } = definition
  const { part } = graphqlVocabulary()
  const names = [params, query].flatMap((fields) => Object.entries(fields).map(([each, spec]) => part(each, spec)))
  const all = Object.keys(body).length === 0 ? names : ['input', ...names]
  const repeated = all.filter((each, index) => all.indexOf(each) !== index)
  const isCost = Number.isInteger(cost) && cost >= 1 && cost <= queryComplexity
  const others = [
    ...(Object.keys(headers).length === 0 ? [] : ['headers']),
    ...(raw === undefined ? [] : ['raw']),
    ...(signed === undefined ? [] : ['signed']),
    ...(typeof answer === 'string' ? [`answer: '${answer}'`] : []),
  ]
  return [
    ...others.map((other) => `it has ${other}, which a field of GraphQL cannot have; strike that, or field`),
    ...(/^[a-z][A-Za-z0-9]*$/.test(name)
      ? []
      : [`its field ${name} is not of the form freeTimes; use letters and digits`]),
    ...(isCost ? [] : [`the cost of its field is not between 1 and ${queryComplexity}; choose another`]),
    ...repeated.map((each) => `its field has two arguments ${each}; rename one`),
  ]
}

function answerProblems(answer: RouteDefinition['answer']): readonly string[] {
  if (typeof answer !== 'string') return specProblems(answer ?? {})
  if (answer === 'application/json') return ['it answers JSON without a description; name the parts of its answer']
  return mediaTypeForm.test(answer)
    ? []
    : [`its answer "${answer}" is no media type; write it like text/csv, in small letters`]
}

const wordProblems = (fields: Specs): readonly string[] =>
  Object.entries(fields).flatMap(([name, spec]) =>
    isWord(spec) ? [] : [`its ${name} is ${a(spec.kind)}, which no address can hold; send it in a body`],
  )

const specProblems = (fields: Specs): readonly string[] =>
  Object.entries(fields).flatMap(([name, spec]) => specProblem(name, spec))

function specProblem(name: string, spec: SpecBase): readonly string[] {
  if (!isKind(spec?.kind)) return [`its ${name} is no field; describe it with text, integer …`]
  const kind = kindOf(spec)
  if (!kind.embeddable) return [`its ${name} is ${a(spec.kind)}, which only records have; use another kind`]
  if (spec.readOnly) return [`its ${name} is readOnly, an option of stored fields only; remove it`]
  if (isActorDefault(spec)) return [`its ${name} has the default actor, an option of stored fields only; remove it`]
  const contradiction = kind.contradiction?.(spec) ?? null
  if (contradiction !== null) return [`of its ${name}, ${contradiction.join('; ')}`]
  return (kind.parts?.(spec) ?? []).flatMap(([path, of]) => specProblem(`${name}${path}`, of))
}
