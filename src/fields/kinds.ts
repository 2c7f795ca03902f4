import type { FieldKind } from './field'
import type { FieldKindSpec } from './kind'
import { birthDate } from './kinds/birthDate'
import { booleanKind } from './kinds/boolean'
import { choice } from './kinds/choice'
import { choices } from './kinds/choices'
import { dateKind } from './kinds/date'
import { emailKind } from './kinds/email'
import { longTextKind } from './kinds/longText'
import { numberKind } from './kinds/number'
import { passwordKind } from './kinds/password'
import { selectKind } from './kinds/select'
import { tagsKind } from './kinds/tags'
import { textKind } from './kinds/text'
import { yesNoKind } from './kinds/yesNo'

/** Every kind of field there is. A new one: its file, its name in `FieldKind`, a line here. */
export const fieldKinds: Record<FieldKind, FieldKindSpec> = {
  text: textKind,
  longText: longTextKind,
  email: emailKind,
  password: passwordKind,
  number: numberKind,
  date: dateKind,
  birthDate,
  boolean: booleanKind,
  yesNo: yesNoKind,
  select: selectKind,
  choice,
  choices,
  tags: tagsKind,
}
