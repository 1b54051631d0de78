#!/usr/bin/env node
// The entry of `duet`: checks the Node version before importing anything that older ones cannot parse, so this file must use old
// syntax only.

const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]

if (major < 22 || major === 23 || (major === 22 && minor < 18)) {
  process.stderr.write(`Duet needs Node 22.18, or 24 and newer, and this is ${process.version}.\n`)
  process.exitCode = 1
} else await import('./main.ts')
