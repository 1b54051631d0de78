// Parses and validates documents once, cached by exact text. Independent of variables and actor.

import { hash } from 'node:crypto'
import {
  type ASTVisitor,
  type DocumentNode,
  type FloatValueNode,
  type FragmentDefinitionNode,
  GraphQLError,
  GraphQLFloat,
  type GraphQLSchema,
  getNamedType,
  type IntValueNode,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  type ValidationContext,
  validate,
  visit,
} from 'graphql'
import { type BoundedCache, createBoundedCache, type ObserveCache } from '../../cache/bounded-cache.ts'
import { Failure } from '../../failure/failure.ts'
import { isRounded, losesDigits } from '../../json/exact-number.ts'
import type { Limits } from '../../limits.ts'
import type { WatchedOperation } from '../../observation/watch.ts'
import { entryOf, entryOfGraphql, Refusal } from '../error.ts'
import { nestsDeeper } from './nesting.ts'
import { findRepetition, withoutRepetition } from './repetition.ts'

export interface Document {
  readonly number: number
  readonly node: DocumentNode
  readonly operations: readonly Operation[]
}
export interface Operation {
  readonly node: OperationDefinitionNode
  readonly type: 'query' | 'mutation' | 'subscription'
  readonly document: Document
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly watched: WatchedOperation
  /** In the document's order. */
  readonly conditions: readonly string[]
}

export type DocumentLimits = Pick<Limits, 'queryTokens' | 'fieldRepetitions' | 'plans' | 'planBytes'>
export interface DocumentsDependencies {
  readonly schema: () => GraphQLSchema
  readonly limits: DocumentLimits
  readonly development: boolean
  readonly observeCache?: ObserveCache | undefined
}

/** Returns the reader of documents. */
export function createDocuments(dependencies: DocumentsDependencies): (text: string) => Document {
  const { schema, limits, development, observeCache } = dependencies
  const cache: BoundedCache<Document> = createBoundedCache(limits.plans, limits.planBytes)
  observeCache?.('documents', cache.counts)
  const rules = [
    ...specifiedRules,
    noNulInStrings,
    noRoundedNumbers,
    ...(development ? [] : [NoSchemaIntrospectionCustomRule]),
  ]
  let count = 0

  function make(text: string): Document {
    const node = withoutRepetition(parseStrictly(text, limits.queryTokens))
    const repeated = findRepetition(node, limits.fieldRepetitions)
    if (repeated !== undefined) {
      const message = `One selection contains "${repeated}" more than ${limits.fieldRepetitions} times.`
      throw new Refusal([entryOf(new Failure('GRAPHQL_VALIDATION_FAILED', { message }))])
    }
    const errors = validate(schema(), node, rules, { maxErrors: errorsMax, hideSuggestions: !development })
    if (errors.length > 0) throw new Refusal(errors.map((each) => entryOfGraphql(each, 'GRAPHQL_VALIDATION_FAILED')))
    return documentOf(node, text, count++)
  }

  return (text) => {
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    const document = make(text)
    cache.set(text, document, memoryOf(text))
    return document
  }
}

// Enough to fix a document; bounds the answer.
const errorsMax = 20

// A syntax tree with its tokens takes about this many bytes for each character. (measured on Node 26)
const bytesPerCharacter = 150
const memoryOf = (text: string): number => 1_000 + text.length * bytesPerCharacter

// Above any permitted query, far below a stack overflow.
const nestingMax = 500

function parseStrictly(text: string, tokensMax: number): DocumentNode {
  if (nestsDeeper(text, nestingMax)) {
    const message = `The document nests deeper than ${nestingMax} brackets.`
    throw new Refusal([entryOf(new Failure('GRAPHQL_PARSE_FAILED', { message }))])
  }
  try {
    return parse(text, { maxLexicalTokens: tokensMax })
  } catch (error) {
    if (error instanceof GraphQLError) throw new Refusal([entryOfGraphql(error, 'GRAPHQL_PARSE_FAILED')])
    throw error
  }
}

/** NUL cannot be stored. (contract 7.2.5) */
const noNulInStrings = (context: ValidationContext): ASTVisitor => ({
  StringValue(node) {
    if (node.value.includes('\0')) context.reportError(new GraphQLError('Must not contain NUL.', { nodes: node }))
  },
})

/** JSON is checked by its scalar. An id may be a number, whose digits are kept. (contract 7.2.9) */
function noRoundedNumbers(context: ValidationContext): ASTVisitor {
  const check = (node: FloatValueNode | IntValueNode) => {
    const type = context.getInputType()
    if (type != null && getNamedType(type) === GraphQLFloat && isRounded(node.value))
      context.reportError(new GraphQLError(losesDigits, { nodes: node }))
  }
  return { FloatValue: check, IntValue: check }
}

function documentOf(node: DocumentNode, text: string, number: number): Document {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const each of node.definitions) if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each)
  const operations: Operation[] = []
  const document = { number, node, operations }
  const conditions = conditionsOf(node)
  const textHash = hash('sha256', text, 'hex')
  for (const each of node.definitions) {
    if (each.kind !== Kind.OPERATION_DEFINITION) continue
    const { operation: type, name } = each
    const watched = { type, name: name?.value.slice(0, shownNameMax) ?? null, hash: textHash }
    operations.push({ node: each, type, document, fragments, watched, conditions })
  }
  return document
}

const shownNameMax = 100

function conditionsOf(document: DocumentNode): readonly string[] {
  const names = new Set<string>()
  visit(document, {
    Directive(directive) {
      const condition = directive.arguments?.find((each) => each.name.value === 'if')?.value
      if (condition?.kind === Kind.VARIABLE) names.add(condition.name.value)
    },
  })
  return [...names]
}

/** Throws a Refusal with GRAPHQL_VALIDATION_FAILED if the name is missing, ambiguous or unknown. */
export function selectOperation({ operations }: Document, name: string | null): Operation {
  const [first] = operations
  if (name === null && operations.length === 1) return first!
  const operation = name === null ? undefined : operations.find(({ node }) => node.name?.value === name)
  if (operation !== undefined) return operation
  const message =
    operations.length === 0
      ? 'The document has no operation.'
      : name === null
        ? 'The document has several operations: name one by operationName.'
        : 'The document has no operation of this name.'
  throw new Refusal([entryOf(new Failure('GRAPHQL_VALIDATION_FAILED', { message }))])
}
