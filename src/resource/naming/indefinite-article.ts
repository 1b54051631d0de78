// The article before a name that an author chose: the only place that decides between `a` and `an`.

/** `a text`, `an object`, `an ApiKey`, `a User`. By its letters, since nobody says how a name is spoken. */
export const a = (word: string): string => `${startsWithVowel.test(word) ? 'an' : 'a'} ${word}`

// `one` and `euro` begin with a consonant when spoken, as `user` and `unit` do, unlike `update` and `unread`; `hour` does not.
const startsWithVowel = /^(?:[ai]|e(?!u)|o(?!nc?e\b)|u(?:[bdglmp]|n(?!i))|hour|honest)/i
