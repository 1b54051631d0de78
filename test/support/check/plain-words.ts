// Words that text for users does not have: persons without a name, and things that speak. "The caller", "if it is missing",
// "returns" and "reports" say the same plainly.

import { ts } from '@ts-morph/common'

const persons = /\b(?:whoever|whomever|nobody|somebody|anybody|everybody|who asks|whom|of theirs|whose they are)\b/i
const speech = /\b(?:tells?|told|asks?|asked|says?|said|hears?|heard|speaks?|answers of)\b/i

/** The first such word of a text; null where there is none. */
export const awkwardWord = (text: string): string | null => (persons.exec(text) ?? speech.exec(text))?.[0] ?? null

/** The sentences in code that may have such a word, with their lines; comments and single words are none. */
export function sentencesOf(code: string): readonly { readonly line: number; readonly text: string }[] {
  if (!code.split('\n').some(isAwkwardCode)) return []
  const file = ts.createSourceFile('code.ts', code, ts.ScriptTarget.ESNext)
  const found: { line: number; text: string }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.end)
      if (/[a-z]+[ ,;:]+[a-z]+/i.test(node.text)) found.push({ line: line + 1, text: node.text })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

const isAwkwardCode = (line: string): boolean => !/^\s*(?:\/\/|\/?\*)/.test(line) && awkwardWord(line) !== null
