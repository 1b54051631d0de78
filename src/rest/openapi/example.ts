// A plausible value for each kind of field, the same every time.

import type { PartName, SpecBase } from '../../resource/field/field.ts'
import { initialValue } from '../../resource/field/registry.ts'

interface AnySpec extends SpecBase {
  readonly format?: string
  readonly min?: number
  readonly max?: number
  readonly values?: readonly string[]
  readonly of?: SpecBase
  readonly fields?: Readonly<Record<string, SpecBase>>
  readonly prefix?: string
  readonly target?: string
}

/** An id that nothing has. */
export const exampleId = (prefix: string): string => `${prefix}_01KAG5T6XE5W9Q2Z8RM4C7BNHD`

export interface Naming {
  readonly partName: PartName
  /** The id of a record of this resource, by its name. */
  readonly idOf: (resource: string) => string
}
/** `input`: as a client sends it, without the parts that are only answered. */
type Direction = 'answer' | 'input'

/** A value that a field of this name may have. */
export function exampleOf(spec: AnySpec, name: string, naming: Naming, direction: Direction): unknown {
  const { partName, idOf } = naming
  switch (spec.kind) {
    case 'text':
    case 'password':
      return exampleText(spec, name, direction)
    case 'integer':
      return Math.min(Math.max(1, spec.min ?? 1), spec.max ?? Number.POSITIVE_INFINITY)
    case 'boolean':
      return spec.default ?? true
    case 'timestamp':
      // What is answered has happened; what is sent, such as the end of a key, mostly is to come.
      return direction === 'answer' ? '2026-11-20T09:30:00.000Z' : '2099-12-31T23:59:59.000Z'
    case 'choice':
    case 'state':
      return spec.values![0]
    case 'list':
      return Array(Math.max(1, spec.min ?? 1)).fill(exampleOf(spec.of!, singular(name), naming, direction))
    case 'object':
      return Object.fromEntries(
        Object.entries(spec.fields!)
          .filter(([, of]) => direction === 'answer' || !of.readOnly)
          .map(([part, of]) => [partName(part, of), exampleOf(of, part, naming, direction)]),
      )
    case 'argument':
      return exampleOf(spec.of!, name, naming, direction)
    case 'token':
      return `${spec.prefix}${'A'.repeat(43)}`
    case 'one':
      return idOf(spec.target!)
    default:
      return initialValue(spec)
  }
}

const singular = (name: string): string => name.replace(/s$/, '')

const formats: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  url: 'https://example.com/ada',
  currency: 'EUR',
  scope: 'read:*',
}

function exampleText({ format, kind, min = 1, max = 200 }: AnySpec, name: string, direction: Direction): string {
  // Not somebody who has an account already.
  if (format === 'email' && direction === 'input') return 'grace@example.com'
  if (format !== undefined && formats[format] !== undefined) return formats[format]
  const text =
    kind === 'password' ? 'correct horse battery staple' : `Some ${name.replace(/[A-Z]/g, ' $&').toLowerCase()}`
  return text.padEnd(min, '.').slice(0, max).trimEnd()
}
