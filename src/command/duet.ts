#!/usr/bin/env node
// Where npm points `duet`: looks at the version of Node before anything is imported that an older one cannot read. So this
// file may use only what those understand.

const oldestMajor = 26

if (Number.parseInt(process.versions.node, 10) < oldestMajor) {
  process.stderr.write(
    `Duet needs Node ${oldestMajor} or newer, and this is ${process.version}. Where Duet is installed in a project, ` +
      'npx duet takes the Node that came with it.\n',
  )
  process.exitCode = 1
} else await import('./main.ts')
