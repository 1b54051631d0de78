// Finds the sentences of a mail or a page: those of the service, otherwise English. (contract 5.17.2)

import { ServiceDefinitionError } from '../../resource/contradiction/contradiction.ts'
import { englishTexts, type TextKey, type TextValues } from '../../resource/language/sign-in-texts.ts'

/** By language, such as `de`. The first is that of mails. */
export type TextsByLanguage = Readonly<Record<string, Readonly<Record<string, string>>>>
export interface Texts {
  readonly language: string
  text<Key extends TextKey>(key: Key, ...values: TextValues<Key>): string
}

export function textsIn(language: string, all: TextsByLanguage): Texts {
  const own = all[language] ?? {}
  return {
    language,
    text: (key: TextKey, ...[values]: readonly Readonly<Record<string, string | number>>[]) =>
      (own[key] ?? englishTexts[key]).replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values?.[name])),
  }
}

/** Mails have no request of their own, and so the first language. */
export const mailTexts = (all: TextsByLanguage): Texts => textsIn(Object.keys(all)[0] ?? 'en', all)

/** In the language that the browser prefers among those of the service and English. */
export function pageTexts(accepted: string | undefined, all: TextsByLanguage): Texts {
  const languages = [...Object.keys(all), 'en']
  const wishes = (accepted ?? '').split(',', 20).map((each) => {
    const [tag = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((part) => part.startsWith('q='))
    return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) }
  })
  const fits = (tag: string) =>
    languages.find((each) => tag === each.toLowerCase() || tag.split('-')[0] === each.toLowerCase())
  const best = wishes
    .filter(({ tag, weight }) => weight > 0 && fits(tag) !== undefined)
    .sort((one, other) => other.weight - one.weight)[0]
  return textsIn(best === undefined ? languages[0]! : fits(best.tag)!, all)
}

/** Fails with ServiceDefinitionError for keys and braces that English has not. */
export function requireSoundTexts(all: TextsByLanguage): void {
  const problems = Object.entries(all).flatMap(([language, texts]) =>
    Object.entries(texts).flatMap(([key, text]) => {
      const where = `accounts.texts.${language}.${key}`
      if (!Object.hasOwn(englishTexts, key)) return [`${where}: there is no such text; strike it.`]
      const names = namesIn(englishTexts[key as TextKey])
      return namesIn(text)
        .filter((name) => !names.includes(name))
        .map((name) => `${where}: nothing fills in {${name}}; strike it.`)
    }),
  )
  if (problems.length > 0) throw new ServiceDefinitionError(problems)
}
const namesIn = (text: string): readonly string[] => Array.from(text.matchAll(/\{(\w+)\}/g), ([, name]) => name!)
