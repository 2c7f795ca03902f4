import { latinDigits } from '~/fields/typed'
import { parseSex } from '~/fields/sex'
import { type ContentTest, headingWords } from '../reader/content.server'
import { DATE_FORMATS, parseFormattedDay } from './date-format'

const isSex = (cell: string) => parseSex(cell) !== null || /^[mf]$/i.test(cell)

/** Seven to fifteen digits, with the signs that people write between them. */
const isPhone = (cell: string) => {
  const clean = latinDigits(cell).trim()
  const digits = clean.replaceAll(/\D/g, '').length
  return (
    digits >= 7 && digits <= 15 && /^[+(]?[\d\s().+/-]+$/.test(clean) && parseDay(clean) === null
  )
}

const parseDay = (cell: string) =>
  DATE_FORMATS.filter((format) => format !== 'excel')
    .map((format) => parseFormattedDay(format, cell, new Date().getUTCFullYear()))
    .find((day) => day !== null && day >= '1900') ?? null

/** A day more than two years ago: a day of a visit or of the registration is usually later. */
const isBirth = (cell: string) => {
  const day = parseDay(cell)
  return day !== null && day < `${new Date().getUTCFullYear() - 2}`
}

/** Births lie far apart; the days of visits of one clinic do not. */
const YEARS_OF_BIRTHS = 10
const lieFarApart = (cells: readonly string[]) => {
  const years = cells.flatMap((cell) => Number(parseDay(cell)?.slice(0, 4)) || [])
  return years.some((year) => years.some((other) => other - year >= YEARS_OF_BIRTHS))
}

export const isName = (cell: string) => /^\p{L}[\p{L}\p{M}\s.'’-]+$/u.test(cell) && !isSex(cell)
/** A name of one word: a given name or a surname alone. */
export const isSingleName = (cell: string) => isName(cell) && !/\s/.test(cell.trim())

/** What the cells of a list of people show where its headings do not say it. */
export const PATIENT_CONTENT: readonly ContentTest[] = [
  { target: 'sex', reads: isSex, share: 0.8, vague: headingWords('s|m f|f m|type|tipo|نوع') },
  {
    target: 'date_of_birth',
    reads: isBirth,
    share: 0.8,
    isLike: lieFarApart,
    vague: headingWords('date|fecha|data|day|dia|fec|التاريخ|تاريخ'),
  },
  {
    target: 'phone',
    reads: isPhone,
    share: 0.8,
    vague: headingWords('contacto|تواصل'),
  },
  {
    // a file number has digits alone
    target: 'phone',
    reads: (cell) => isPhone(cell) && /^[+0(]|\d[\s().-]+\d/.test(latinDigits(cell).trim()),
    share: 0.8,
    vague: headingWords('number|numero|no|رقم'),
  },
  {
    target: 'given_name',
    reads: isName,
    share: 0.9,
    distinct: 0.6,
    isUnnamed: true,
    takesFirst: true,
  },
]

/** A "contact" may be an address or a person. */
export const MAY_BE_PHONE = { reads: isPhone, vague: headingWords('contact|contacto|تواصل') }
