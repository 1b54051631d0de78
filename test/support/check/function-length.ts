// How many lines the functions of a file have, signatures included.

import { ts } from '@ts-morph/common'

/** Those with more lines than `max`, as `src/a.ts:12 name: 90 lines`. */
export function longFunctions(path: string, text: string, max: number): readonly string[] {
  if (text.split('\n').length <= max) return []
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const start = lineOf(node.getStart(file))
    const lines = lineOf(node.end) - start + 1
    if (lines <= max) return
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined)
      found.push(`${path}:${start} ${node.name?.getText(file) ?? 'a function'}: ${lines} lines`)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}
