// How VitePress makes the site out of docs/. Nothing on it comes from another host: no font, no script, no count of visitors.

import { type DefaultTheme, defineConfig } from 'vitepress'
import { linkOutOfDocs } from '../link-out-of-docs.ts'
import { docs, firstPage, readKinds } from '../pages.ts'

const kinds = await readKinds()
const addressOf = (path: string) => `/${path.replace(/\.md$/, '')}`
const sidebar: DefaultTheme.SidebarItem[] = kinds.map(({ title, pages }) => ({
  text: title,
  items: pages.map((page) => ({ text: page.title, link: addressOf(page.path) })),
}))
const nav: DefaultTheme.NavItem[] = kinds.map(({ title, pages }) => ({ text: title, link: addressOf(pages[0]!.path) }))

export default defineConfig({
  title: 'Duet',
  description: 'One definition of each resource, two APIs: REST and GraphQL under one strict contract.',
  lang: 'en',
  // Where the site is not at the root of its host: `DOCS_BASE=/duet/ npm run docs`.
  base: process.env['DOCS_BASE'] ?? '/',
  srcDir: docs,
  outDir: './dist',
  cacheDir: './.cache',
  rewrites: { [firstPage]: 'index.md' },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // With the contrast that WCAG asks for.
  markdown: {
    config: linkOutOfDocs,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  // The contract is one page, and long.
  vite: {
    build: { target: 'es2022', chunkSizeWarningLimit: 1_500 },
    optimizeDeps: { esbuildOptions: { target: 'es2022' } },
  },
  themeConfig: {
    sidebar,
    nav,
    outline: [2, 3],
    // The button is called what it shows.
    search: { provider: 'local', options: { translations: { button: { buttonAriaLabel: '' } } } },
  },
})
