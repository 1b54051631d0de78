// Joins relations to their targets and inverses. To-one relations of every resource come first, as the other kinds are inverses of
// them.

import type { ManySpec, OneSpec } from '../../field/relation.ts'
import type { Definition } from '../../language/definition.ts'
import { linkTable } from '../../naming/casing.ts'
import type { Link, OneRelation } from '../model.ts'
import type { ResourceDraft } from '../model-draft.ts'

type Drafts = ReadonlyMap<string, ResourceDraft>

/** Returns the join tables. */
export function compileRelations(definitions: readonly Definition[], drafts: Drafts): readonly Link[] {
  for (const definition of definitions) joinToOne(definition, drafts)
  return definitions.flatMap((definition) => joinToMany(definition, drafts))
}

function joinToOne({ name, fields }: Definition, drafts: Drafts): void {
  const holder = drafts.get(name)!
  for (const [field, spec] of Object.entries(fields)) {
    if (spec.kind !== 'one') continue
    const {
      target: targetName,
      onDelete: choice = 'cascade',
      cascade,
      goesAlong = false,
      tree = false,
      stays = false,
    } = spec as OneSpec
    const { into = null, same = [], from = null } = spec as OneSpec
    const target = drafts.get(targetName)!
    const onDelete = stays ? 'leave' : spec.optional && !goesAlong && !tree ? 'clear' : choice
    const relation: OneRelation = {
      kind: 'one',
      field,
      target,
      column: holder.column.get(field)!,
      onDelete,
      isRuled: (spec as OneSpec).onDelete === 'cascade' && cascade !== 'regardless' && !tree,
      into,
      same: [same].flat(),
      from,
    }
    holder.relations.set(field, relation)
    target.referrers.push({ holder, relation })
  }
}

function joinToMany({ name, fields }: Definition, drafts: Drafts): readonly Link[] {
  const holder = drafts.get(name)!
  const links: Link[] = []
  for (const [field, spec] of Object.entries(fields)) {
    if (spec.kind !== 'many' && spec.kind !== 'manyToMany') continue
    const { target: targetName, by, tree } = spec as ManySpec
    const target = drafts.get(targetName)!
    const otherEnd = target.relations.get(by)
    if (spec.kind === 'many') {
      holder.relations.set(field, { kind: 'many', field, target, by: otherEnd as OneRelation })
    } else if (otherEnd?.kind === 'manyToMany') {
      holder.relations.set(field, { kind: 'manyToMany', field, target, link: otherEnd.link, side: 'target' })
    } else {
      const parent = tree === undefined ? null : (holder.relations.get(tree) as OneRelation)
      const link: Link = { table: linkTable(holder.table, field), source: holder, target, parent }
      links.push(link)
      holder.relations.set(field, { kind: 'manyToMany', field, target, link, side: 'source' })
    }
  }
  return links
}
