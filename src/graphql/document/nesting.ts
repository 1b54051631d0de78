// How deep a text nests, told before it is parsed: the parser calls itself at every level, and the stack is finite.

/** True where brackets of any kind nest deeper than `max`; those in strings and comments do not count. */
export function nestsDeeper(text: string, max: number): boolean {
  let depth = 0
  for (const [match] of text.matchAll(bracketsAndWhatHidesThem)) {
    if (openings.has(match)) {
      depth++
      if (depth > max) return true
    } else if (closings.has(match)) depth--
  }
  return false
}

const openings = new Set(['(', '[', '{'])
const closings = new Set([')', ']', '}'])
const bracketsAndWhatHidesThem = /"""(?:\\"""|.)*?"""|"(?:\\.|[^"\\\n\r])*"?|#[^\n\r]*|[()[\]{}]/gs
