// Writes a summary as the operation asks: its groups arrive as JSON texts, here they get their keys.

import type { SummaryAnswer, SummaryGroup, SummaryShape } from '../../read-plan/summary.ts'
import type { Branch, TreeField } from '../prepare/tree.ts'

export function printSummary(branch: Branch, answer: SummaryAnswer, shape: SummaryShape): string {
  const edge = (of: Branch, group: SummaryGroup) =>
    object(of, ({ meaning, below }) =>
      meaning!.is === 'node' ? printGroup(below[0]!, group, shape) : JSON.stringify(group.cursor()),
    )
  return object(branch, ({ meaning, below }) => {
    switch (meaning!.is) {
      case 'nodes':
        return `[${answer.groups.map((group) => printGroup(below[0]!, group, shape)).join(',')}]`
      case 'edges':
        return `[${answer.groups.map((group) => edge(below[0]!, group)).join(',')}]`
      default:
        return printPageInfo(below[0]!, answer)
    }
  })
}

function printGroup(branch: Branch, { keys, count, measures, distinct }: SummaryGroup, shape: SummaryShape): string {
  return object(branch, ({ meaning, below }) => {
    switch (meaning!.is) {
      case 'count':
        return count
      case 'group': {
        const { path } = meaning as { readonly path: unknown }
        const index = shape.groups.findIndex((group) => group.path === path)
        return index === -1 ? 'null' : keys[index]!
      }
      case 'distinct':
        return object(below[0]!, ({ meaning: inner }) => {
          const { path } = inner as { readonly path: unknown }
          return distinct[shape.distinct.findIndex((each) => each.path === path)]!
        })
      default: {
        const of = meaning!.is as 'sum' | 'avg' | 'min' | 'max'
        return object(below[0]!, ({ meaning: inner }) => {
          const { path } = inner as { readonly path: unknown }
          return measures[shape.measures.findIndex((each) => each.path === path)]![of]!
        })
      }
    }
  })
}

function printPageInfo(branch: Branch, { groups, hasNext, hasPrevious }: SummaryAnswer): string {
  return object(branch, ({ meaning }) => {
    switch (meaning!.is) {
      case 'hasNextPage':
        return String(hasNext)
      case 'hasPreviousPage':
        return String(hasPrevious)
      case 'startCursor':
        return JSON.stringify(groups[0]?.cursor() ?? null)
      default:
        return JSON.stringify(groups.at(-1)?.cursor() ?? null)
    }
  })
}

/** What has no meaning is the name of its type. */
function object({ type, fields }: Branch, print: (field: TreeField) => string): string {
  const members = fields.map((field) => {
    const value = field.meaning === undefined ? JSON.stringify(type.name) : print(field)
    return `${JSON.stringify(field.key)}:${value}`
  })
  return `{${members.join(',')}}`
}
