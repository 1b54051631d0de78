// Describes the records of a query for people.

import type { GivenSource } from '../../language/placeholder.ts'
import type { QueryModel, ResourceModel } from '../model.ts'
import type { Scope } from '../scope.ts'
import type { Vocabulary } from '../vocabulary.ts'
import { constantSentence, momentSentence, testVerbs } from './comparison-sentence.ts'
import { type NameOf, ruleSentence } from './rule-sentence.ts'

/** `plays is at least min_plays, and aired_at is at least 7 days before now`. */
export function scopeSentence({ scope, args, resource }: QueryModel, { name, part }: Vocabulary): string {
  if (scope === null) return 'it finds them, in its own order'
  const specs = new Map(args.map((each) => [each.name, each.spec]))
  return sentenceOf(scope, resource, name, (arg) => part(arg, specs.get(arg)!))
}

type ArgumentName = (of: string) => string

function sentenceOf(scope: Scope, resource: ResourceModel, nameOf: NameOf, argumentName: ArgumentName): string {
  switch (scope.is) {
    case 'rule':
      return ruleSentence(scope.rule, resource, nameOf).replace(/^anyone, while /, '')
    case 'test': {
      const value = valueSentence(scope.value, argumentName)
      return `${nameOf(resource, scope.column.field)} ${testVerbs[scope.test]} ${value}`
    }
    default: {
      const parts = scope.of.map((each) => sentenceOf(each, resource, nameOf, argumentName))
      return parts.length === 1 ? parts[0]! : `(${parts.join(scope.is === 'any' ? ' or ' : ' and ')})`
    }
  }
}

function valueSentence(source: GivenSource, argumentName: ArgumentName): string {
  if (source.from === 'argument') return argumentName(source.name)
  return source.from === 'now' ? momentSentence(source, argumentName) : constantSentence(source.value)
}
