import type { FieldKind } from './field'
import type { Kind } from './kind'
import { birthDate } from './kinds/birthDate'
import { boolean } from './kinds/boolean'
import { choice } from './kinds/choice'
import { choices } from './kinds/choices'
import { date } from './kinds/date'
import { email } from './kinds/email'
import { longText } from './kinds/longText'
import { number } from './kinds/number'
import { password } from './kinds/password'
import { select } from './kinds/select'
import { tags } from './kinds/tags'
import { text } from './kinds/text'
import { yesNo } from './kinds/yesNo'

/** Every kind of field there is. A new one: its file, its name in `FieldKind`, a line here. */
export const kinds: Record<FieldKind, Kind> = {
  text,
  longText,
  email,
  password,
  number,
  date,
  birthDate,
  boolean,
  yesNo,
  select,
  choice,
  choices,
  tags,
}
