// The Markdown of the reference.

/** A table; what is in a cell stays in it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

export const code = (text: string | number): string => `\`${text}\``

/** Comments cite clauses as `(contract 4.3.5)`: as links. */
export const linkClauses = (text: string): string =>
  text.replaceAll(/\(contract ([\d., ]+)\)/g, (_, numbers: string) => {
    const links = numbers.split(', ').map((number) => `[${number}](../contract.md#${number})`)
    return `(contract ${links.join(', ')})`
  })

/** A text of the code as Markdown: without what would be HTML or a placeholder there. */
export const prose = (text: string): string =>
  linkClauses(text)
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')))
    .join('')
