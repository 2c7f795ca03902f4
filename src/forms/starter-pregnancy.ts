import { anyOf, choice, emergency, oneOf, urgent, when } from './starter-parts'

export const isHigh = anyOf(when('systolic', 'atLeast', 140), when('diastolic', 'atLeast', 90))
export const isSevere = anyOf(when('systolic', 'atLeast', 160), when('diastolic', 'atLeast', 110))
export const hasProtein = oneOf('protein', '1', '2', '3')
export const protein = () =>
  choice(
    'protein',
    ['Urine protein', 'البروتين في البول', 'Proteína en orina'],
    [
      ['0', 'None', 'لا يوجد', 'Ausente'],
      ['trace', 'Trace', 'آثار', 'Trazas'],
      ['1', '+', '+', '+'],
      ['2', '++', '++', '++'],
      ['3', '+++', '+++', '+++'],
    ],
  )

/**
 * ACOG Committee Opinion 767 (2019): 160 systolic or 110 diastolic, in pregnancy or after birth, is treated within 30 to 60
 * minutes with labetalol, hydralazine or immediate-release nifedipine; measured again within 15 minutes. Magnesium sulfate is
 * recommended to prevent eclampsia in severe pre-eclampsia (WHO, October 2011):
 * https://extranet.who.int/rhl/topics/preconception-pregnancy-childbirth-and-postpartum-care/medical-problems-during-pregnancy/who-recommendation-magnesium-sulfate-prevention-eclampsia-women-severe-pre-eclampsia
 */
export const severePressure = () =>
  emergency(
    'pressure_severe',
    isSevere,
    'Severe hypertension (160 or more, or 110 or more): measure again within 15 minutes. If confirmed, give an antihypertensive within 30–60 minutes (nifedipine by mouth, labetalol or hydralazine), in severe pre-eclampsia also magnesium sulfate against convulsions, and refer now.',
    'ارتفاع شديد في ضغط الدم (160 أو أكثر، أو 110 أو أكثر): إعادة القياس خلال 15 دقيقة. إذا تأكّد، إعطاء خافض للضغط خلال 30 إلى 60 دقيقة (نيفيديبين فمويًا أو لابيتالول أو هيدرالازين)، وفي مقدمات الارتعاج الشديدة كبريتات المغنيزيوم أيضًا للوقاية من الاختلاجات، والإحالة فورًا.',
    'Hipertensión grave (160 o más, o 110 o más): mida de nuevo en un máximo de 15 minutos. Si se confirma, dé un antihipertensivo en 30–60 minutos (nifedipino oral, labetalol o hidralazina), en la preeclampsia grave también sulfato de magnesio contra las convulsiones, y derive ahora.',
  )
export const severeAnaemia = () =>
  urgent(
    'anaemia_severe',
    when('haemoglobin', 'lessThan', 7),
    'Severe anaemia (haemoglobin below 7 g/dL): refer today.',
    'فقر دم شديد (الهيموغلوبين أقل من 7 غ/دل): الإحالة اليوم.',
    'Anemia grave (hemoglobina menor de 7 g/dL): derive hoy.',
  )
