// Parameters of lists and summaries. Each kind is one file of this folder, with its reading in every form and its
// documentation.

import type { Detail } from '../../../failure/failure.ts'
import type { ListArguments } from '../../../read-plan/page.ts'
import type { ListShape } from '../../../read-plan/selection.ts'
import type { Deprecating } from '../../../resource/deprecation.ts'
import type { PartName, SpecBase } from '../../../resource/field/field.ts'
import { checkText, kindOf } from '../../../resource/field/registry.ts'
import type {
  FilterModel,
  LinkRelation,
  ManyRelation,
  QueryModel,
  ResourceModel,
  WhereBranch,
} from '../../../resource/model/model.ts'
import type { Vocabulary } from '../../../resource/model/vocabulary.ts'
import type { PageLimits } from '../list-page.ts'
import type { WhereContext } from '../where/read.ts'

/** From a query string, typed by a schema, or from code. */
export type Form = 'text' | 'typed' | 'code'
export type Sent = (name: string) => unknown

export interface Asked {
  readonly resource: ResourceModel
  readonly query?: QueryModel | undefined
  /** Of the record that the list belongs to. */
  readonly of?: ManyRelation | LinkRelation | null | undefined
}
export interface ReadContext extends WhereContext {
  readonly form: Form
  readonly limits: WhereContext['limits'] & PageLimits
}
export interface Parameter<Value, Of extends Asked = Asked> extends Described {
  /** Invalid values are `problems`; invalid names are `mistakes`, if given. */
  read(sent: Sent, of: Of, context: ReadContext, problems: Detail[], mistakes?: Detail[]): Value
}
export interface Narrowing {
  readonly shape: Partial<ListShape>
  readonly values: Partial<ListArguments>
  readonly key: string
  /** What cursors are bound to. */
  readonly binding: unknown
  readonly points: number
  /** Whether no shared cache may keep the answer. */
  readonly isPrivate: boolean
  /** Filters that only some callers may use. */
  readonly filters?: readonly FilterValue[]
}
/** The value as a record holds it; undefined if it is invalid. */
export interface FilterValue {
  readonly filter: FilterModel
  readonly parameter: string
  readonly value: unknown
}
export interface Described {
  /** None if these lists do not accept it. */
  describe(of: Asked, form: Exclude<Form, 'code'>, vocabulary: Vocabulary): readonly Description[]
}

export interface Description {
  readonly name: string
  readonly about: () => string
  readonly type: () => ArgumentType
  /** Undefined if it is not documented. */
  readonly isNeeded?: boolean
  readonly initial?: unknown
  readonly deprecated?: Deprecating | null | undefined
  readonly more?: () => object
}
export type ArgumentType =
  | { readonly is: 'text'; readonly charsMax: 'searchLength' | 'whereChars' | number; readonly pattern?: string }
  /** A value of the field `part` of `holder`. */
  | { readonly is: 'value'; readonly spec: SpecBase; readonly holder: string; readonly part: string }
  /** At most `max` of these. */
  | (Titled & { readonly is: 'words'; readonly words: InNames<Word>; readonly max?: number })
  | (Titled & { readonly is: 'object'; readonly members: InNames<Description> })
  | { readonly is: 'conditions'; readonly title: string; readonly branch: WhereBranch }
interface Titled {
  readonly title: string
  readonly about: string
}
/** The same values in the same order in each vocabulary. */
type InNames<T> = (vocabulary: Vocabulary) => readonly T[]
export interface Word {
  readonly name: string
  readonly about: string
  readonly value: unknown
  readonly deprecated?: Deprecating | undefined
}

export const textNames = (kinds: readonly Described[], of: Asked, vocabulary: Vocabulary): readonly string[] =>
  kinds.flatMap((kind) => kind.describe(of, 'text', vocabulary).map(({ name }) => name))

/** Text separates elements by commas. */
export function elementsOf<Element>(value: unknown, form: Form): readonly (Element | string)[] {
  if (form === 'text') return value === undefined || value === '' ? [] : (value as string).split(',')
  return (value ?? []) as readonly Element[]
}

/** Adds problems; in text, parts of a value have no names of their own. */
export function readValue(
  value: unknown,
  spec: SpecBase,
  name: string,
  { form, part }: { readonly form: Form; readonly part: PartName },
  problems: Detail[],
): unknown {
  const isTyped = form === 'typed'
  const problem = (path: string, message: string) =>
    void problems.push({ field: isTyped ? `${name}${path}` : name, message })
  return isTyped ? kindOf(spec).check(spec, value, problem, part) : checkText(spec, value as string, problem, part)
}
