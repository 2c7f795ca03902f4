import { useLocale } from 'use-intl'

/** Between the words of a list that is written in the reader's language. */
export const useComma = () => (useLocale().startsWith('ar') ? '، ' : ', ')
