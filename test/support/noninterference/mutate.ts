// Runs the comparison on a copy of the sources with one condition taken out.

import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Mutant } from './mutants.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The mutant's file with its change; throws where the text does not stand in it exactly once. */
export function mutatedText({ file, find, replace }: Mutant): string {
  const text = readFileSync(join(root, file), 'utf8')
  const first = text.indexOf(find)
  if (first === -1 || text.indexOf(find, first + 1) !== -1)
    throw new Error(`This does not stand in ${file} exactly once: ${find}`)
  return text.slice(0, first) + replace + text.slice(first + find.length)
}

/** `broken`: it fails in another way than by a difference, so that nobody would ship it. */
export type Verdict = { readonly is: 'survived' | 'broken' } | { readonly is: 'caught'; readonly requests: number }

export async function judgeMutant(mutant: Mutant, args: readonly string[]): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'duet-mutant-'))
  try {
    for (const each of ['src', 'reference', 'examples', 'test', 'package.json'])
      cpSync(join(root, each), join(folder, each), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, mutant.file), mutatedText(mutant))
    const child = spawn(
      process.execPath,
      ['--conditions=duet-source', join(folder, 'test/noninterference/main.ts'), ...args],
      {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    let output = ''
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
    if (code === 0) return { is: 'survived' }
    const [, requests] = /after (\d+) requests:/.exec(output) ?? []
    return requests === undefined ? { is: 'broken' } : { is: 'caught', requests: Number(requests) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
