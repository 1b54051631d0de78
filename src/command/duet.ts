#!/usr/bin/env node
// Where npm points `duet`: looks at the version of Node before anything is imported that an older one cannot read. So this
// file may use only what those understand.

const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]

if (major < 22 || major === 23 || (major === 22 && minor < 18)) {
  process.stderr.write(`Duet needs Node 22.18, or 24 and newer, and this is ${process.version}.\n`)
  process.exitCode = 1
} else await import('./main.ts')
