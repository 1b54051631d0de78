// Settings that keep install scripts from running in a new project: `better-sqlite3` ships binaries, but npm and Yarn 1 would
// compile it, which needs a compiler.

export interface PackageManager {
  readonly name: 'npm' | 'pnpm' | 'yarn'
  readonly file: string
  readonly settings: string
}

const reason = '# No package runs anything when it is installed: none that Duet needs has to.\n'
const npm: PackageManager = { name: 'npm', file: '.npmrc', settings: `${reason}ignore-scripts=true\n` }

/** The one that runs this command, by `npm_config_user_agent`; by default npm. */
export function packageManager(userAgent = ''): PackageManager {
  if (userAgent.startsWith('pnpm/')) return { ...npm, name: 'pnpm' }
  if (userAgent.startsWith('yarn/1.')) {
    return { name: 'yarn', file: '.yarnrc', settings: `${reason}ignore-scripts true\n` }
  }
  if (userAgent.startsWith('yarn/')) {
    return { name: 'yarn', file: '.yarnrc.yml', settings: `${reason}enableScripts: false\nnodeLinker: node-modules\n` }
  }
  return npm
}
