import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/**
 * What the buttons and fields of the phones' app say that our texts name, word for word, as version 1.5.6 of the app
 * has them (docs/phone-sync.md): users look for exactly these words. Texts of the app that are in English in each
 * language are the same here. Its sync button is an icon without words.
 */
const LABELS: Record<Language, string>[] = [
  {
    en: 'Register App with QR Code',
    ar: 'تسجيل التطبيق باستخدام رمز الاستجابة السريعة',
    es: 'Registrar Aplicación con Código QR',
  },
  { en: 'Sync Settings', ar: 'مزامنة الإعدادات', es: 'Configuración de Sincronización' },
  { en: 'Online Only Mode', ar: 'وضع الاتصال فقط', es: 'Modo Solo En Línea' },
  { en: 'Download from server', ar: 'Download from server', es: 'Download from server' },
  { en: 'Upload device data', ar: 'Upload device data', es: 'Upload device data' },
]

const languages = ['en', 'ar', 'es'] as const
type Language = (typeof languages)[number]
type Messages = { [name: string]: string | Messages }

const messagesOf = (language: Language) =>
  JSON.parse(readFileSync(`messages/${language}.json`, 'utf8')) as Messages
const guideOf = (language: Language, page: string) =>
  readFileSync(`docs/guide/${language === 'en' ? '' : `${language}/`}${page}.md`, 'utf8')

const quotesIn = (text: string) =>
  [...text.matchAll(/“([^”]+)”|«([^»]+)»/g)].map(([, one, other]) =>
    (one ?? other)!.replaceAll(/\s+/g, ' '),
  )
const textsIn = (messages: Messages): string[] =>
  Object.values(messages).flatMap((each) => (typeof each === 'string' ? [each] : textsIn(each)))
const headingsIn = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!)

/** The printed sheets for phones, with the labels of Sanad that they quote as well. */
function stepsOf(language: Language) {
  const { settings, hub } = messagesOf(language) as Record<string, Record<string, string>>
  const steps = [settings!, hub!].flatMap((each) =>
    Object.entries(each).flatMap(([name, text]) =>
      /^(phonesStep|step)\d$/.test(name) ? [text] : [],
    ),
  )
  return { steps, own: new Set(textsIn(messagesOf(language))) }
}

test.for(languages)(
  'the sheets and the guide name what the app says, word for word: %s',
  (language) => {
    const labels = new Set(LABELS.map((label) => label[language]))
    const { steps, own } = stepsOf(language)
    expect(steps).toHaveLength(8)
    const guide = guideOf(language, 'phones')
    const headings = new Set(headingsIn(guide))
    const unknown = [
      ...steps.flatMap(quotesIn).filter((quote) => !own.has(quote)),
      ...quotesIn(guide).filter((quote) => !headings.has(quote)),
    ].filter((quote) => !labels.has(quote))
    expect(unknown).toEqual([])
    // both sheets begin with the button that scans
    const scans = steps.filter((step) => quotesIn(step).includes(LABELS[0]![language]))
    expect(scans).toHaveLength(2)
    for (const label of labels) expect(quotesIn(guide)).toContain(label)
    expect(quotesIn(guideOf(language, 'backup'))).toContain(LABELS.at(-1)![language])
  },
)

test.for(languages)(
  'no page of the guide names a button that the app does not have: %s',
  (language) => {
    const names = /Force (down|up)load|Scan QR code|Escanear código QR|مسح رمز QR/i
    for (const page of ['phones', 'backup', 'settings', 'moving-in', 'people', 'first-day'])
      expect(guideOf(language, page)).not.toMatch(names)
    expect(textsIn(messagesOf(language)).filter((text) => names.test(text))).toEqual([])
  },
)
