// Measured before parsing, because the parser is recursive.

/** Ignores brackets in strings and comments. */
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
