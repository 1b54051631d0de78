// What a run prints: a line for each file, each failure in full, and one line of counts at its end.

import type { Completed, Ready, Uncaught } from './reporter.ts'

export interface Report {
  complete(test: Completed): void
  endFile(ended: NonNullable<Ready['ended']>, printed: string): void
  failUncaught(error: Uncaught): void
  /** A process ended while it ran this file. */
  crash(path: string, how: string): void
  /** Prints the rest; returns whether all files ran to their end, and all tests passed. */
  end(slowestCount: number): boolean
}

interface FileRun {
  readonly lines: string[]
  tests: number
  failures: number
  /** Null until its suite is complete. */
  ms: number | null
  /** Null until its process is ready for the next file. */
  cpuMs: number | null
}

/** `isVerbose`: with a line for each test. */
export function createReport(paths: readonly string[], isVerbose: boolean, print: (line: string) => void): Report {
  const startedAt = performance.now()
  const runs = new Map<string, FileRun>()
  const skipped = new Map<string, number>()
  const failures: string[] = []
  const counts = { passed: 0, skipped: 0, files: 0 }
  const elapsed = () => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`

  function runOf(path: string): FileRun {
    const run = runs.get(path) ?? { lines: [], tests: 0, failures: 0, ms: null, cpuMs: null }
    runs.set(path, run)
    return run
  }

  function fail(path: string, title: string, failure: string): void {
    failures.push(title)
    runOf(path).failures += 1
    print(`✖ ${title}\n${failure.replaceAll(/^/gm, '    ')}`)
  }

  function printFile(path: string, { ms, cpuMs, tests, failures, lines }: FileRun): void {
    if (ms === null || cpuMs === null) return
    counts.files += 1
    print(
      `[${counts.files}/${paths.length}, ${elapsed()}] ${failures > 0 ? '✖' : '✔'} ${path}: ${tests} tests, ${seconds(ms)}`,
    )
    if (isVerbose) for (const line of lines) print(line)
  }

  return {
    complete({ names, isSuite, ms, skip, failure }) {
      const path = names[0]!
      if (!paths.includes(path)) return fail(path, path, 'Declared too late to belong to its file.')
      const run = runOf(path)
      if (typeof skip === 'string') skipped.set(skip, (skipped.get(skip) ?? 0) + 1)
      if (failure !== null) fail(path, names.join(' › '), failure)
      if (!isSuite) {
        run.tests += 1
        if (skip !== false) counts.skipped += 1
        else if (failure === null) counts.passed += 1
        const mark = failure !== null ? '✖' : skip === false ? '✔' : '–'
        run.lines.push(`  ${mark} ${names.slice(1).join(' › ')} (${ms.toFixed(0)} ms)`)
      }
      if (names.length > 1) return
      run.ms = ms
      printFile(path, run)
    },
    endFile({ path, cpuMs, leftOpen }, printed) {
      const run = runOf(path)
      if (printed !== '') fail(path, path, `${path} printed:\n${printed}`)
      if (leftOpen.length > 0) fail(path, path, `${path} left something open: ${leftOpen.join(', ')}`)
      run.cpuMs = cpuMs
      printFile(path, run)
    },
    failUncaught({ path, failure }) {
      fail(path, path, failure)
    },
    crash(path, how) {
      fail(path, path, `The process that ran ${path} ended ${how}`)
    },
    end(slowestCount) {
      for (const path of paths) {
        const { ms, cpuMs, failures } = runOf(path)
        if ((ms === null || cpuMs === null) && failures === 0) fail(path, path, `${path} did not run to its end.`)
      }
      const slowest = [...runs].sort(([, one], [, other]) => (other.ms ?? 0) - (one.ms ?? 0)).slice(0, slowestCount)
      for (const [path, { ms, cpuMs, tests }] of slowest)
        print(`${seconds(ms ?? 0)} (${seconds(cpuMs ?? 0)} of processor time): ${path}, ${tests} tests`)
      for (const [reason, count] of skipped) print(`Skipped ${count} suites or tests: ${reason}`)
      if (failures.length > 0) print(['Failed:', ...failures].join('\n  '))
      const cpuMs = [...runs.values()].reduce((sum, run) => sum + (run.cpuMs ?? 0), 0)
      print(`${counts.files} files, ${elapsed()}, ${(cpuMs / 1000).toFixed(0)} s of processor time`)
      print(`${counts.passed} passed, ${failures.length} failed, ${counts.skipped} skipped`)
      return failures.length === 0
    },
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
