// Which records a query means, for people: in the documents of both faces.

import type { QueryModel, ResourceModel, Scope } from './model.ts'
import type { ValueSource } from './placeholder.ts'
import { ruleSentence } from './rule-sentence.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Such as `plays is at least min_plays, and aired_at is at least 7 days before now`. */
export function scopeSentence({ scope, args, resource }: QueryModel, { name, part }: Vocabulary): string {
  if (scope === null) return 'it finds them, in its own order'
  const specs = new Map(args.map((each) => [each.name, each.spec]))
  return sentenceOf(
    scope,
    resource,
    (field) => name(resource, field),
    (arg) => part(arg, specs.get(arg)!),
  )
}

type NameOf = (of: string) => string

function sentenceOf(scope: Scope, resource: ResourceModel, nameOf: NameOf, argumentName: NameOf): string {
  switch (scope.is) {
    case 'rule':
      return ruleSentence(scope.rule, resource, nameOf).replace(/^anyone, while /, '')
    case 'test': {
      const value = valueSentence(scope.value, argumentName)
      return `${nameOf(scope.column.field)} ${verbs[scope.test]} ${value}`
    }
    default: {
      const parts = scope.of.map((each) => sentenceOf(each, resource, nameOf, argumentName))
      return parts.length === 1 ? parts[0]! : `(${parts.join(scope.is === 'any' ? ' or ' : ' and ')})`
    }
  }
}
const verbs = { is: 'is', atLeast: 'is at least', atMost: 'is at most', contains: 'contain' }

function valueSentence(source: ValueSource, argumentName: NameOf): string {
  switch (source.from) {
    case 'constant':
      return source.value instanceof Date ? source.value.toISOString() : String(source.value)
    case 'argument':
      return argumentName(source.name)
    case 'now': {
      const shifts = source.shifts.map(({ unitMs, count }) => {
        const many = typeof count === 'number' ? count : argumentName(count.argument)
        return `${many} ${units.get(Math.abs(unitMs))!} ${unitMs < 0 ? 'before' : 'after'} `
      })
      return `${shifts.join('and ')}now`
    }
  }
}
const units = new Map([
  [86_400_000, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
])
