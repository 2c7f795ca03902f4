import { plainWords } from '~/fields/plain-words'
import type { Preset, Role } from '~/shared/permissions'
import { labelIn, translatedTexts } from '../reader/headings.server'

/** How lists of staff write jobs, in English, Arabic and Spanish. A word that is on no list is refused. */
const JOBS: readonly { role: Role; preset?: Preset; words: string }[] = [
  {
    role: 'registrar',
    words:
      'registrar|receptionist|reception|clerk|registration clerk|registrador|registradora|' +
      'recepcionista|recepcion|admisionista|موظف تسجيل|موظفة تسجيل|مسجل|مسجلة|موظف استقبال|' +
      'موظفة استقبال|استقبال',
  },
  {
    role: 'provider',
    preset: 'nurse',
    words: 'nurse|midwife|enfermera|enfermero|enfermeria|matrona|partera|ممرض|ممرضة|تمريض|قابلة',
  },
  {
    role: 'provider',
    preset: 'pharmacist',
    words:
      'pharmacist|pharmacy|dispenser|farmaceutico|farmaceutica|farmacia|صيدلي|صيدلاني|' +
      'صيدلانية|صيدلية|صيدلة',
  },
  {
    role: 'provider',
    preset: 'administrator',
    words:
      'clinic administrator|clinic manager|administrador de clinica|administradora de clinica|' +
      'jefe de clinica|مدير عيادة|مديرة عيادة|مدير العيادة',
  },
  {
    role: 'provider',
    words:
      'provider|doctor|physician|clinician|clinical officer|health worker|medico|medica|' +
      'doctora|profesional|proveedor|proveedora|طبيب|طبيبة|دكتور|دكتورة|مقدم رعاية|' +
      'مقدم الرعاية|مقدمة رعاية',
  },
  {
    role: 'admin',
    words: 'admin|administrator|administrador|administradora|مدير|مديرة|مسؤول|مسؤولة|مدير النظام',
  },
  {
    role: 'super_admin',
    words:
      'super admin|super administrator|superadmin|superadministrador|superadministradora|' +
      'مدير اعلى|مديرة عليا|مسؤول اعلى',
  },
]

/** "Super administrador", "super-administrador" and "superadministrador" are one word. */
export const unspacedWords = (text: string) => plainWords(text).replaceAll(' ', '')

/** Also the names of roles on the screens, as an exported list has them. */
const jobNames = ({ role, preset, words }: (typeof JOBS)[number]) =>
  [...words.split('|'), ...(preset ? [] : translatedTexts(labelIn(`roles.${role}`)))].map(
    unspacedWords,
  )

/** The role and the usual permissions of a job; null for every other word. */
export function jobIn(cell: string): { role: Role; preset?: Preset } | null {
  const word = unspacedWords(cell)
  const job = JOBS.find((each) => jobNames(each).includes(word))
  return job ? { role: job.role, ...(job.preset && { preset: job.preset }) } : null
}

/** The permissions of a job: in a column of permissions "administrator" is one of the clinic. */
export function presetIn(cell: string): Preset | null {
  const job = jobIn(cell)
  if (job?.role === 'admin') return 'administrator'
  if (job?.role === 'registrar') return 'registrar'
  return job?.preset ?? null
}

const YES = ['yes', 'y', 'true', '1', 'si', 's', 'verdadero', 'نعم', 'صح', 'x', '✓']
const NO = ['no', 'n', 'false', '0', 'falso', 'لا', 'خطا']

export function yesOrNo(cell: string): boolean | null {
  const word = cell.trim() === '✓' ? '✓' : plainWords(cell)
  if (YES.includes(word)) return true
  return NO.includes(word) ? false : null
}
