// Opens the service's own pages as a browser does: with cookies, by their forms, up to the address of a client.

import assert from 'node:assert/strict'
import type { TestService } from '../server/service.ts'
import type { Answer } from './http-client.ts'

export interface OpenPage extends Answer {
  readonly fields: (action: string) => Readonly<Record<string, string>>
  /** What the page reports. */
  readonly says: string
}

export class PageBrowser {
  readonly #service: TestService
  readonly #headers: Record<string, string> = {}
  cookie = ''

  constructor(service: TestService, headers: Readonly<Record<string, string>> = {}) {
    this.#service = service
    Object.assign(this.#headers, headers)
  }

  open(path: string): Promise<OpenPage> {
    return this.#send(`GET ${path}`, {})
  }

  /** Sends a form of this page, filled in, from the service's own origin. */
  submit(
    page: OpenPage,
    action: string,
    values: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = { 'Sec-Fetch-Site': 'same-origin' },
  ): Promise<OpenPage> {
    const body = new URLSearchParams({ ...page.fields(action), ...values }).toString()
    return this.#send(`POST /auth/pages/${action}`, { ...headers }, body)
  }

  async #send(line: string, headers: Readonly<Record<string, string>>, body?: string): Promise<OpenPage> {
    const type = body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }
    const cookie = this.cookie === '' ? {} : { cookie: this.cookie }
    const answer = await this.#service.client.send(line, {
      headers: { ...this.#headers, ...type, ...cookie, ...headers },
      ...(body === undefined ? {} : { body }),
    })
    for (const each of answer.headers['set-cookie'] ?? []) {
      const [, value] = /^duet_flow=([^;]*)/.exec(each) ?? []
      if (value !== undefined) this.cookie = value === '' ? '' : `duet_flow=${value}`
    }
    return {
      ...answer,
      says:
        /role="(?:alert|status)"[^>]*>([^<]*)</.exec(
          answer.text.replaceAll(/<p role="alert" hidden>.*?<\/p>/g, ''),
        )?.[1] ?? '',
      fields: (action) => fieldsOf(answer.text, action),
    }
  }
}

function fieldsOf(html: string, action: string): Readonly<Record<string, string>> {
  const form = new RegExp(`<form method="post" action="[^"]*/auth/pages/${action}"[^>]*>(.*?)</form>`, 's').exec(html)
  assert.ok(form, `There is no form ${action} in ${html}`)
  const hidden = form[1]!.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)
  return Object.fromEntries(Array.from(hidden, ([, name, value]) => [name!, value!]))
}
