// One long form: IMCI is one chart, and its parts refer to each other's signs.
import {
  advice,
  allOf,
  anyOf,
  atLeast,
  choice,
  choices,
  emergency,
  from,
  heading,
  height,
  longText,
  medicines,
  nextVisit,
  noneOf,
  number,
  oneOf,
  starter,
  temperature,
  urgent,
  weight,
  when,
  yesNo,
} from './starter-parts'

/*
 * IMCI 2014: WHO and UNICEF, Integrated Management of Childhood Illness, chart booklet, March 2014 (ISBN 978 92 4 150682 3).
 * IMCI 2019: WHO, management of the sick young infant aged up to 2 months, chart booklet (ISBN 978 92 4 151636 5).
 * EmCare: WHO SMART guidelines, smart-emcare, decision logic B23 (IMCI as rules).
 * Treatments and days until the child is seen again: IMCI 2014, pages 6 to 11, as public programs quote them with the page, and
 * the IMNCI chart booklet of Sudan, which refers a cough from 14 days and a fever from 7 days on (IMCI 2014: more than that).
 * Each group of notes names the one that it follows.
 */

/**
 * The child may be of this age, in months. Where no birth is recorded, the age that the form asks for decides; until it is
 * answered, every age is possible.
 */
const aged = ({ atLeast: least, below }: { atLeast?: number; below?: number }) => {
  const reported = (comparison: 'atLeast' | 'lessThan', months: number) => [
    when('__age_months__', comparison, months),
    anyOf(when('age_reported', comparison, months), when('age_reported', 'notAnswered')),
  ]
  return allOf(
    ...(least === undefined ? [] : reported('atLeast', least)),
    ...(below === undefined ? [] : reported('lessThan', below)),
  )
}
const youngInfant = aged({ below: 2 })
const child = aged({ atLeast: 2 })

const anyDanger = when('danger', 'answered')
const hasCough = when('cough', 'is', 'yes')
const hasDiarrhoea = when('diarrhoea', 'is', 'yes')
/** Fever by history, by a hot body or from 37.5 °C on (IMCI 2014). */
const hasFever = anyOf(
  when('fever', 'is', 'yes'),
  when('temperature', 'atLeast', 37.5),
  when('fever_days', 'atLeast', 1),
)

// IMCI 2014 and EmCare, severe pneumonia or very severe disease
const severePneumonia = allOf(
  child,
  hasCough,
  anyOf(anyDanger, when('chest', 'is', 'stridor'), when('saturation', 'lessThan', 90)),
)
const drinksPoorly = anyOf(when('dehydration', 'is', 'poorly'), when('danger', 'is', 'drink'))
const isLethargic = anyOf(when('danger', 'is', 'lethargic'), when('infant', 'is', 'still'))
// IMCI 2014 and EmCare: two of the four signs
const severeSigns = atLeast(
  2,
  isLethargic,
  when('dehydration', 'is', 'eyes'),
  drinksPoorly,
  when('dehydration', 'is', 'very_slow'),
)
// EmCare: a sign of severe dehydration counts as the same sign of some dehydration
const anySigns = atLeast(
  2,
  anyOf(when('dehydration', 'is', 'restless'), isLethargic),
  when('dehydration', 'is', 'eyes'),
  anyOf(when('dehydration', 'is', 'thirsty'), drinksPoorly),
  oneOf('dehydration', 'slow', 'very_slow'),
)
const severeFebrile = allOf(
  child,
  hasFever,
  anyOf(anyDanger, oneOf('fever_signs', 'neck', 'fontanelle')),
)
const severeMeasles = allOf(
  when('fever_signs', 'is', 'measles'),
  anyOf(anyDanger, oneOf('fever_signs', 'cornea', 'deep_ulcers')),
)
// IMCI 2014; WHO child growth standards and the identification of severe acute malnutrition (2009)
const severeMalnutrition = anyOf(
  when('muac', 'lessThan', 11.5),
  when('oedema', 'is', 'yes'),
  when('thinness', 'is', 'severe'),
)
const complicatedMalnutrition = allOf(
  severeMalnutrition,
  anyOf(anyDanger, when('appetite', 'is', 'failed')),
)

export const childVisit = starter(
  'child-under-five',
  ['Child under five', 'طفل دون الخامسة', 'Menor de cinco años'],
  [
    'Sick or well child under five, based on IMCI.',
    'طفل مريض أو سليم دون الخامسة، وفق الرعاية المتكاملة لأمراض الطفولة (IMCI).',
    'Menor de cinco años, enfermo o sano, según AIEPI.',
  ],
  [
    number('months', ['Age in months', 'العمر بالأشهر', 'Edad en meses'], {
      compute: from('ageMonths', []),
    }),
    number(
      'age_reported',
      [
        'Age in months, as reported (0 if less than 1 month)',
        'العمر بالأشهر حسب قول الأهل (0 إذا كان أقل من شهر)',
        'Edad en meses, según la familia (0 si es menor de 1 mes)',
      ],
      {
        hint: [
          'The date of birth is not recorded. Until this is answered, the notes for every age are shown.',
          'تاريخ الميلاد غير مسجّل. إلى أن يُجاب هنا تظهر الملاحظات الخاصة بكل الأعمار.',
          'La fecha de nacimiento no está registrada. Mientras no responda, se muestran las notas de todas las edades.',
        ],
        limits: { min: 0, max: 71 },
        showIf: when('__age_months__', 'notAnswered'),
      },
    ),
    longText('complaint', ['Chief complaint', 'الشكوى الرئيسية', 'Motivo de consulta'], {
      required: true,
    }),
    choices(
      'danger',
      ['General danger signs', 'علامات الخطر العامة', 'Signos generales de peligro'],
      [
        [
          'drink',
          'Unable to drink or breastfeed',
          'عدم القدرة على الشرب أو الرضاعة',
          'No puede beber ni tomar el pecho',
        ],
        ['vomits', 'Vomits everything', 'تقيؤ كل شيء', 'Vomita todo'],
        [
          'convulsions',
          'Convulsions in this illness',
          'اختلاجات (تشنّجات) خلال هذا المرض',
          'Convulsiones durante esta enfermedad',
        ],
        [
          'lethargic',
          'Lethargic or unconscious',
          'خمول أو فقدان الوعي',
          'Letárgico o inconsciente',
        ],
        ['convulsing', 'Convulsing now', 'اختلاج (تشنّج) الآن', 'Convulsiona en este momento'],
      ],
    ),
    emergency(
      'danger_note',
      anyDanger,
      'Danger sign: give the first dose of treatment, prevent low blood sugar, keep the child warm and refer urgently.',
      'علامة خطر: إعطاء أول جرعة من العلاج، والوقاية من نقص سكر الدم، وتدفئة الطفل، وإحالته عاجلًا.',
      'Signo de peligro: dé la primera dosis del tratamiento, prevenga la hipoglucemia, manténgalo abrigado al niño y derive con urgencia.',
    ),
    weight(),
    height(),
    temperature(),
    // IMCI 2019: possible serious bacterial infection, severe jaundice, local infection
    heading('infant_heading', ['Under 2 months', 'دون الشهرين', 'Menor de 2 meses'], {
      showIf: youngInfant,
    }),
    choices(
      'infant',
      ['Signs under 2 months', 'العلامات دون الشهرين', 'Signos en menores de 2 meses'],
      [
        ['feeding', 'Not feeding well', 'لا يرضع جيدًا', 'No se alimenta bien'],
        [
          'still',
          'Moves only when stimulated, or not at all',
          'لا يتحرك إلا عند اللمس أو لا يتحرك',
          'Se mueve solo cuando se lo estimula, o no se mueve',
        ],
        ['indrawing', 'Severe chest indrawing', 'انسحاب صدري شديد', 'Tiraje subcostal grave'],
        [
          'yellow_early',
          'Jaundice in the first 24 hours of life',
          'يرقان خلال أول 24 ساعة من العمر',
          'Ictericia en las primeras 24 horas de vida',
        ],
        [
          'yellow_palms',
          'Yellow palms or soles',
          'اصفرار الراحتين أو الأخمصين',
          'Palmas o plantas amarillas',
        ],
        ['yellow', 'Other jaundice', 'يرقان آخر', 'Otra ictericia'],
        [
          'umbilicus',
          'Umbilicus red or draining pus',
          'سرّة حمراء أو فيها قيح',
          'Ombligo rojo o con pus',
        ],
        ['pustules', 'Skin pustules', 'بثور قيحية على الجلد', 'Pústulas en la piel'],
      ],
      { showIf: youngInfant },
    ),
    emergency(
      'infant_severe',
      allOf(
        youngInfant,
        anyOf(
          oneOf('infant', 'feeding', 'still', 'indrawing'),
          when('temperature', 'atLeast', 38),
          when('temperature', 'lessThan', 35.5),
        ),
      ),
      'Under 2 months, possible serious bacterial infection: give the first dose of antibiotics by injection, keep warm, keep breastfeeding and refer urgently.',
      'دون الشهرين، احتمال عدوى جرثومية خطيرة: إعطاء أول جرعة من المضادات الحيوية حقنًا، مع التدفئة ومتابعة الرضاعة، والإحالة عاجلًا.',
      'Menor de 2 meses, posible infección bacteriana grave: dé la primera dosis de antibióticos inyectables, manténgalo abrigado, siga con el pecho y derive con urgencia.',
    ),
    // IMCI 2014 calls 37.5 °C fever at this age, IMCI 2019 calls 38 °C; WHO postnatal care 2022 refers newborns above 37.5 °C
    urgent(
      'infant_warm',
      allOf(youngInfant, when('temperature', 'atLeast', 37.5), when('temperature', 'lessThan', 38)),
      'Under 2 months with 37.5 to 37.9 °C: measure again, look for other signs, and refer a baby younger than 28 days.',
      'دون الشهرين مع حرارة من 37.5 إلى 37.9 °م: إعادة القياس والبحث عن علامات أخرى، وإحالة المولود الذي عمره أقل من 28 يومًا.',
      'Menor de 2 meses con 37.5 a 37.9 °C: mida de nuevo, busque otros signos y derive al bebé menor de 28 días.',
    ),
    emergency(
      'infant_jaundice_severe',
      allOf(youngInfant, oneOf('infant', 'yellow_early', 'yellow_palms')),
      'Severe jaundice (in the first 24 hours, or yellow palms or soles): prevent low blood sugar, keep warm and refer urgently.',
      'يرقان شديد (خلال أول 24 ساعة أو اصفرار الراحتين أو الأخمصين): الوقاية من نقص سكر الدم، والتدفئة، والإحالة عاجلًا.',
      'Ictericia grave (en las primeras 24 horas, o palmas o plantas amarillas): prevenga la hipoglucemia, manténgalo abrigado y derive con urgencia.',
    ),
    // IMCI 2014, page 46; IMCI 2019 refers from 3 weeks on
    urgent(
      'infant_jaundice',
      allOf(
        youngInfant,
        when('infant', 'is', 'yellow'),
        noneOf(oneOf('infant', 'yellow_early', 'yellow_palms')),
      ),
      'Jaundice: see the baby again in 1 day; older than 14 days, refer for assessment.',
      'يرقان: مراجعة بعد يوم واحد؛ وإذا كان العمر أكثر من 14 يومًا، الإحالة للتقييم.',
      'Ictericia: vuelva a ver al bebé en 1 día; si tiene más de 14 días, derive para evaluación.',
    ),
    // seen again in 2 days: https://www.open.edu/openlearncreate/mod/oucontent/view.php?id=247&section=1.9.2
    urgent(
      'infant_local',
      allOf(youngInfant, oneOf('infant', 'umbilicus', 'pustules')),
      'Local bacterial infection: give an oral antibiotic, teach how to clean the place at home and see again in 2 days.',
      'عدوى جرثومية موضعية: إعطاء مضاد حيوي فموي، وتعليم الأهل تنظيف الموضع في المنزل، والمراجعة بعد يومين.',
      'Infección bacteriana local: dé un antibiótico oral, enseñe a limpiar la zona en casa y vuelva a verlo en 2 días.',
    ),
    heading('nutrition_heading', [
      'Nutrition and anaemia',
      'التغذية وفقر الدم',
      'Nutrición y anemia',
    ]),
    number('muac', ['Mid-upper arm circumference', 'محيط منتصف العضد', 'Perímetro braquial'], {
      unit: 'cm',
      limits: { min: 5, max: 30 },
      normal: { min: 12.5 },
      showIf: aged({ atLeast: 6 }),
    }),
    yesNo('oedema', ['Oedema of both feet', 'وذمة القدمين', 'Edema de ambos pies']),
    choice(
      'thinness',
      [
        'Weight for length or height (WHO chart)',
        'الوزن بالنسبة إلى الطول (مخطط منظمة الصحة العالمية)',
        'Peso para la talla (tabla de la OMS)',
      ],
      [
        ['normal', '−2 z or above', '⁦−2 z⁩ أو أعلى', '−2 z o más'],
        ['moderate', 'From −3 to below −2 z', 'من ⁦−3⁩ إلى أقل من ⁦−2 z⁩', 'De −3 a menos de −2 z'],
        ['severe', 'Below −3 z', 'أقل من ⁦−3 z⁩', 'Menos de −3 z'],
        ['unknown', 'Not measured', 'لم يُقَس', 'No medido'],
      ],
    ),
    choice(
      'appetite',
      ['Appetite test', 'اختبار الشهية', 'Prueba del apetito'],
      [
        ['passed', 'Eats well', 'أكل جيدًا', 'Come bien'],
        ['failed', 'Does not eat enough', 'لم يأكل ما يكفي', 'No come lo suficiente'],
        ['not_done', 'Not done', 'لم يُجرَ', 'No realizada'],
      ],
      { showIf: severeMalnutrition },
    ),
    emergency(
      'malnutrition_complicated',
      complicatedMalnutrition,
      'Severe acute malnutrition with a danger sign or a failed appetite test: first dose of antibiotic, treat or prevent low blood sugar, keep warm and refer urgently.',
      'سوء تغذية حاد شديد مع علامة خطر أو فشل اختبار الشهية: إعطاء أول جرعة من المضاد الحيوي، وعلاج نقص سكر الدم أو الوقاية منه، والتدفئة، والإحالة عاجلًا.',
      'Desnutrición aguda grave con un signo de peligro o prueba del apetito fallida: primera dosis de antibiótico, trate o prevenga la hipoglucemia, manténgalo abrigado y derive con urgencia.',
    ),
    urgent(
      'malnutrition_severe',
      allOf(severeMalnutrition, noneOf(complicatedMalnutrition)),
      'Severe acute malnutrition (arm below 11.5 cm, below −3 z, or oedema of both feet): test the appetite, look for complications, give an oral antibiotic and therapeutic food.',
      'سوء تغذية حاد شديد (العضد أقل من 11.5 سم، أو أقل من ⁦−3 z⁩، أو وذمة القدمين): اختبار الشهية والبحث عن مضاعفات، وإعطاء مضاد حيوي فموي وغذاء علاجي.',
      'Desnutrición aguda grave (brazo menor de 11.5 cm, menos de −3 z o edema de ambos pies): haga la prueba del apetito, busque complicaciones, dé un antibiótico oral y alimento terapéutico.',
    ),
    advice(
      'malnutrition_moderate',
      allOf(
        anyOf(
          allOf(when('muac', 'atLeast', 11.5), when('muac', 'lessThan', 12.5)),
          when('thinness', 'is', 'moderate'),
        ),
        noneOf(severeMalnutrition),
      ),
      'Moderate acute malnutrition: arm from 11.5 to below 12.5 cm, or −3 to below −2 z. Counsel on feeding, give supplements and follow up.',
      'سوء تغذية حاد متوسط: العضد من 11.5 إلى أقل من 12.5 سم، أو من ⁦−3⁩ إلى أقل من ⁦−2 z⁩. تقديم نصائح التغذية وإعطاء المكمّلات وتحديد موعد مراجعة.',
      'Desnutrición aguda moderada: brazo de 11.5 a menos de 12.5 cm, o de −3 a menos de −2 z. Oriente sobre la alimentación, dé suplementos y cite a control.',
    ),
    choice(
      'pallor',
      ['Palmar pallor', 'شحوب راحة اليد', 'Palidez palmar'],
      [
        ['none', 'None', 'لا يوجد', 'No'],
        ['some', 'Some', 'بعض الشحوب', 'Leve'],
        ['severe', 'Severe', 'شديد', 'Intensa'],
      ],
    ),
    // IMCI 2014 and EmCare, anaemia
    emergency(
      'anaemia_severe',
      when('pallor', 'is', 'severe'),
      'Severe anaemia (severe palmar pallor): refer urgently.',
      'فقر دم شديد (شحوب شديد في راحة اليد): إحالة عاجلة.',
      'Anemia grave (palidez palmar intensa): derive con urgencia.',
    ),
    advice(
      'anaemia',
      when('pallor', 'is', 'some'),
      'Anaemia (some palmar pallor): give iron unless the child has severe acute malnutrition, test for malaria where it occurs, and see again in 14 days.',
      'فقر دم (بعض الشحوب في راحة اليد): إعطاء الحديد ما لم يكن الطفل مصابًا بسوء تغذية حاد شديد، وفحص الملاريا حيث تنتشر، والمراجعة بعد 14 يومًا.',
      'Anemia (palidez palmar leve): dé hierro salvo desnutrición aguda grave, haga la prueba de malaria donde exista y vuelva a verlo en 14 días.',
    ),
    heading('cough_heading', [
      'Cough or difficult breathing',
      'السعال أو صعوبة التنفّس',
      'Tos o dificultad para respirar',
    ]),
    yesNo('cough', [
      'Cough or difficult breathing present',
      'يوجد سعال أو صعوبة تنفّس',
      'El niño tose o respira con dificultad',
    ]),
    number(
      'cough_days',
      ['Duration of cough (days)', 'مدة السعال (أيام)', 'Duración de la tos (días)'],
      {
        limits: { min: 0, max: 365 },
        showIf: hasCough,
      },
    ),
    number(
      'breaths',
      [
        'Respiratory rate (breaths per minute, child calm)',
        'عدد الأنفاس في الدقيقة والطفل هادئ',
        'Frecuencia respiratoria (respiraciones por minuto, niño tranquilo)',
      ],
      {
        vital: 'respiratory_rate',
        limits: { min: 5, max: 150 },
        showIf: anyOf(hasCough, youngInfant),
      },
    ),
    number('saturation', ['Oxygen saturation', 'تشبّع الأكسجين', 'Saturación de oxígeno'], {
      unit: '%',
      vital: 'oxygen_saturation',
      limits: { min: 40, max: 100 },
      showIf: anyOf(hasCough, youngInfant),
    }),
    choices(
      'chest',
      ['Signs on examination', 'العلامات عند الفحص', 'Signos al examen'],
      [
        ['indrawing', 'Chest indrawing', 'انسحاب صدري', 'Tiraje subcostal'],
        ['stridor', 'Stridor when calm', 'صرير عند الهدوء', 'Estridor en reposo'],
        ['wheeze', 'Wheezing', 'أزيز', 'Sibilancias'],
      ],
      { showIf: hasCough },
    ),
    emergency(
      'pneumonia_severe',
      severePneumonia,
      'Severe pneumonia or very severe disease (danger sign, stridor in a calm child, or oxygen saturation below 90 %): give oxygen, the first dose of antibiotic, and refer urgently.',
      'التهاب رئة شديد أو مرض شديد جدًا (علامة خطر، أو صرير والطفل هادئ، أو تشبّع الأكسجين أقل من 90%): إعطاء الأكسجين وأول جرعة من المضاد الحيوي، والإحالة عاجلًا.',
      'Neumonía grave o enfermedad muy grave (signo de peligro, estridor en reposo o saturación menor de 90 %): dé oxígeno y la primera dosis de antibiótico, y derive con urgencia.',
    ),
    // IMCI 2014: fast breathing 60 below 2 months, 50 from 2, 40 from 12 months
    emergency(
      'fast_young',
      allOf(youngInfant, when('breaths', 'atLeast', 60)),
      'Fast breathing for a child under 2 months (60 or more): count again for a full minute; if still 60 or more, refer urgently.',
      'تنفّس سريع لطفل دون الشهرين (60 أو أكثر): العدّ مرة أخرى دقيقة كاملة؛ وإذا بقي 60 أو أكثر، الإحالة عاجلًا.',
      'Respiración rápida en menor de 2 meses (60 o más): cuente de nuevo un minuto completo; si sigue en 60 o más, derive con urgencia.',
    ),
    urgent(
      'fast_infant',
      allOf(
        aged({ atLeast: 2, below: 12 }),
        when('breaths', 'atLeast', 50),
        noneOf(severePneumonia),
      ),
      'Fast breathing for 2 to 11 months (50 or more): pneumonia. Give oral amoxicillin for 5 days and see again in 3 days.',
      'تنفّس سريع لعمر من شهرين إلى 11 شهرًا (50 أو أكثر): التهاب رئة. إعطاء الأموكسيسيلين فمويًا 5 أيام والمراجعة بعد 3 أيام.',
      'Respiración rápida de 2 a 11 meses (50 o más): neumonía. Dé amoxicilina oral durante 5 días y vuelva a verlo en 3 días.',
    ),
    urgent(
      'fast_child',
      allOf(aged({ atLeast: 12 }), when('breaths', 'atLeast', 40), noneOf(severePneumonia)),
      'Fast breathing from 12 months (40 or more): pneumonia. Give oral amoxicillin for 5 days and see again in 3 days.',
      'تنفّس سريع من عمر 12 شهرًا (40 أو أكثر): التهاب رئة. إعطاء الأموكسيسيلين فمويًا 5 أيام والمراجعة بعد 3 أيام.',
      'Respiración rápida desde los 12 meses (40 o más): neumonía. Dé amoxicilina oral durante 5 días y vuelva a verlo en 3 días.',
    ),
    urgent(
      'indrawing',
      allOf(child, when('chest', 'is', 'indrawing'), noneOf(severePneumonia)),
      'Chest indrawing: pneumonia. Give oral amoxicillin for 5 days and see again in 3 days; refer if the child is exposed to HIV.',
      'انسحاب صدري: التهاب رئة. إعطاء الأموكسيسيلين فمويًا 5 أيام والمراجعة بعد 3 أيام؛ والإحالة إذا كان الطفل معرّضًا لفيروس نقص المناعة (HIV).',
      'Tiraje subcostal: neumonía. Dé amoxicilina oral durante 5 días y vuelva a verlo en 3 días; derive si el niño está expuesto al VIH.',
    ),
    advice(
      'wheeze',
      allOf(child, when('chest', 'is', 'wheeze'), noneOf(severePneumonia)),
      'Wheezing: try a rapid-acting inhaled bronchodilator, count the breaths and look at the chest again, then classify.',
      'أزيز: تجربة موسّع قصبات استنشاقي سريع المفعول، ثم عدّ الأنفاس وفحص الصدر مرة أخرى قبل التصنيف.',
      'Sibilancias: pruebe un broncodilatador inhalado de acción rápida, cuente de nuevo las respiraciones y observe el tórax; después clasifique.',
    ),
    advice(
      'cough_long',
      when('cough_days', 'atLeast', 14),
      'Cough for 14 days or more: refer to look for tuberculosis or asthma.',
      'سعال منذ 14 يومًا أو أكثر: الإحالة للبحث عن السل أو الربو.',
      'Tos de 14 días o más: derive para buscar tuberculosis o asma.',
    ),
    heading('diarrhoea_heading', ['Diarrhoea', 'الإسهال', 'Diarrea']),
    yesNo('diarrhoea', ['Diarrhoea present', 'يوجد إسهال', 'El niño tiene diarrea']),
    number(
      'diarrhoea_days',
      ['Duration of diarrhoea (days)', 'مدة الإسهال (أيام)', 'Duración de la diarrea (días)'],
      {
        limits: { min: 0, max: 365 },
        showIf: hasDiarrhoea,
      },
    ),
    yesNo('blood', ['Blood in the stool', 'دم في البراز', 'Sangre en las heces'], {
      showIf: hasDiarrhoea,
    }),
    choices(
      'dehydration',
      ['Signs of dehydration', 'علامات الجفاف', 'Signos de deshidratación'],
      [
        ['restless', 'Restless or irritable', 'تململ أو تهيّج', 'Inquieto o irritable'],
        ['eyes', 'Sunken eyes', 'عينان غائرتان', 'Ojos hundidos'],
        ['thirsty', 'Drinks eagerly, thirsty', 'شرب بلهفة وعطش', 'Bebe con avidez, con sed'],
        [
          'poorly',
          'Drinks poorly or unable to drink',
          'ضعف الشرب أو عدم القدرة على الشرب',
          'Bebe mal o no puede beber',
        ],
        [
          'slow',
          'Skin pinch goes back slowly',
          'عودة ثنية الجلد ببطء',
          'El pliegue cutáneo vuelve lentamente',
        ],
        [
          'very_slow',
          'Skin pinch goes back very slowly',
          'عودة ثنية الجلد ببطء شديد',
          'El pliegue cutáneo vuelve muy lentamente',
        ],
      ],
      {
        hint: [
          'A lethargic child: tick it under general danger signs; it counts here too.',
          'الطفل الخامل: يُحدَّد ضمن علامات الخطر العامة، ويُحتسب هنا أيضًا.',
          'Niño letárgico: márquelo en los signos generales de peligro; también cuenta aquí.',
        ],
        showIf: hasDiarrhoea,
      },
    ),
    emergency(
      'dehydration_severe',
      allOf(hasDiarrhoea, severeSigns),
      'Severe dehydration (two or more of: lethargic, sunken eyes, drinks poorly, very slow skin pinch): start fluids now (plan C). With another severe sign: refer urgently, with sips of oral rehydration solution on the way.',
      'جفاف شديد (علامتان أو أكثر من: خمول، عينان غائرتان، ضعف الشرب، بطء شديد في عودة ثنية الجلد): بدء السوائل الآن (الخطة ج). مع علامة شديدة أخرى: إحالة عاجلة مع رشفات من محلول الإماهة الفموية في الطريق.',
      'Deshidratación grave (dos o más: letárgico, ojos hundidos, bebe mal, pliegue cutáneo muy lento): inicie líquidos ahora (plan C). Con otro signo grave: derive con urgencia, con sorbos de suero oral en el camino.',
    ),
    urgent(
      'dehydration_some',
      allOf(hasDiarrhoea, anySigns, noneOf(severeSigns)),
      'Some dehydration: give oral rehydration solution in the clinic for 4 hours (plan B) and zinc, then assess again.',
      'بعض الجفاف: إعطاء محلول الإماهة الفموية في العيادة مدة 4 ساعات (الخطة ب) مع الزنك، ثم إعادة التقييم.',
      'Deshidratación leve o moderada: dé suero oral en la clínica durante 4 horas (plan B) y zinc; después reevalúe.',
    ),
    urgent(
      'persistent_severe',
      allOf(when('diarrhoea_days', 'atLeast', 14), anySigns),
      'Severe persistent diarrhoea (14 days or more, with dehydration): treat the dehydration, then refer to hospital.',
      'إسهال مستديم شديد (14 يومًا أو أكثر مع جفاف): علاج الجفاف ثم الإحالة إلى المستشفى.',
      'Diarrea persistente grave (14 días o más, con deshidratación): trate la deshidratación y después derive al hospital.',
    ),
    advice(
      'persistent',
      allOf(when('diarrhoea_days', 'atLeast', 14), noneOf(anySigns)),
      'Persistent diarrhoea (14 days or more): advise on feeding, give vitamins, minerals and zinc, and see again in 5 days.',
      'إسهال مستديم (14 يومًا أو أكثر): نصائح التغذية، وإعطاء الفيتامينات والمعادن والزنك، والمراجعة بعد 5 أيام.',
      'Diarrea persistente (14 días o más): oriente sobre la alimentación, dé vitaminas, minerales y zinc, y vuelva a verlo en 5 días.',
    ),
    // the dose: Williams and Berkley, Paediatr Int Child Health 2018;38:S50-S65 (PMC5805911)
    urgent(
      'dysentery',
      when('blood', 'is', 'yes'),
      'Dysentery (blood in the stool): give ciprofloxacin 15 mg/kg twice a day for 3 days and see again in 3 days.',
      'زحار (دم في البراز): إعطاء سيبروفلوكساسين 15 ملغ/كغ مرتين يوميًا 3 أيام، والمراجعة بعد 3 أيام.',
      'Disentería (sangre en las heces): dé ciprofloxacino 15 mg/kg dos veces al día durante 3 días y vuelva a verlo en 3 días.',
    ),
    heading('fever_heading', ['Fever and ears', 'الحمّى والأذنان', 'Fiebre y oídos']),
    yesNo('fever', [
      'Fever now or during this illness',
      'حمّى الآن أو خلال هذا المرض',
      'Fiebre ahora o durante esta enfermedad',
    ]),
    number(
      'fever_days',
      ['Duration of fever (days)', 'مدة الحمّى (أيام)', 'Duración de la fiebre (días)'],
      {
        limits: { min: 0, max: 365 },
      },
    ),
    choices(
      'fever_signs',
      ['Signs with fever or measles', 'علامات مع الحمّى أو الحصبة', 'Signos con fiebre o sarampión'],
      [
        ['neck', 'Stiff neck', 'صلابة الرقبة', 'Rigidez de nuca'],
        ['fontanelle', 'Bulging fontanelle', 'انتفاخ اليافوخ', 'Fontanela abombada'],
        [
          'measles',
          'Measles now or in the past 3 months',
          'حصبة الآن أو خلال آخر 3 أشهر',
          'Sarampión ahora o en los últimos 3 meses',
        ],
        ['cornea', 'Clouding of the cornea', 'تعكّر القرنية', 'Opacidad de la córnea'],
        [
          'deep_ulcers',
          'Deep or extensive mouth ulcers',
          'تقرّحات فموية عميقة أو واسعة',
          'Úlceras de la boca profundas o extensas',
        ],
        ['ulcers', 'Other mouth ulcers', 'تقرّحات فموية أخرى', 'Otras úlceras de la boca'],
        ['eye_pus', 'Pus from the eye', 'قيح من العين', 'Pus en el ojo'],
      ],
    ),
    choice(
      'malaria',
      ['Malaria test', 'فحص الملاريا', 'Prueba de malaria'],
      [
        ['negative', 'Negative', 'سلبي', 'Negativo'],
        ['positive', 'Positive', 'إيجابي', 'Positivo'],
        ['not_done', 'Not done', 'لم يُجرَ', 'No realizado'],
      ],
    ),
    emergency(
      'febrile_severe',
      severeFebrile,
      'Very severe febrile disease (fever with a danger sign, stiff neck or bulging fontanelle): first dose of antibiotic, and of artesunate where malaria is possible; prevent low blood sugar; refer urgently.',
      'مرض حمّي شديد جدًا (حمّى مع علامة خطر أو صلابة رقبة أو انتفاخ اليافوخ): أول جرعة من المضاد الحيوي، ومن الأرتيسونات حيث تُحتمل الملاريا؛ والوقاية من نقص سكر الدم؛ والإحالة عاجلًا.',
      'Enfermedad febril muy grave (fiebre con signo de peligro, rigidez de nuca o fontanela abombada): primera dosis de antibiótico, y de artesunato donde sea posible la malaria; prevenga la hipoglucemia; derive con urgencia.',
    ),
    urgent(
      'malaria_note',
      allOf(when('malaria', 'is', 'positive'), noneOf(severeFebrile)),
      'Malaria: give the recommended first-line antimalarial by weight, and see again in 3 days if fever persists.',
      'ملاريا: إعطاء مضاد الملاريا الموصى به كخط أول حسب الوزن، والمراجعة بعد 3 أيام إذا استمرت الحمّى.',
      'Malaria: dé el antimalárico de primera línea recomendado según el peso y vuelva a verlo en 3 días si persiste la fiebre.',
    ),
    urgent(
      'fever_long',
      when('fever_days', 'atLeast', 7),
      'Fever for 7 days or more: refer for assessment.',
      'حمّى منذ 7 أيام أو أكثر: الإحالة للتقييم.',
      'Fiebre de 7 días o más: derive para evaluación.',
    ),
    emergency(
      'measles_severe',
      severeMeasles,
      'Severe complicated measles: give vitamin A and the first dose of antibiotic; for a cloudy cornea or pus, eye ointment; refer urgently.',
      'حصبة شديدة مع مضاعفات: إعطاء فيتامين أ وأول جرعة من المضاد الحيوي؛ ومرهم العين عند تعكّر القرنية أو القيح؛ والإحالة عاجلًا.',
      'Sarampión grave complicado: dé vitamina A y la primera dosis de antibiótico; con córnea opaca o pus, ungüento ocular; derive con urgencia.',
    ),
    urgent(
      'measles_complicated',
      allOf(
        when('fever_signs', 'is', 'measles'),
        oneOf('fever_signs', 'ulcers', 'eye_pus'),
        noneOf(severeMeasles),
      ),
      'Measles with eye or mouth complications: give vitamin A, treat the eye or the mouth, and see again in 3 days.',
      'حصبة مع مضاعفات في العين أو الفم: إعطاء فيتامين أ، وعلاج العين أو الفم، والمراجعة بعد 3 أيام.',
      'Sarampión con complicaciones en ojos o boca: dé vitamina A, trate el ojo o la boca y vuelva a verlo en 3 días.',
    ),
    advice(
      'measles_note',
      allOf(
        when('fever_signs', 'is', 'measles'),
        noneOf(severeMeasles, oneOf('fever_signs', 'ulcers', 'eye_pus')),
      ),
      'Measles: give vitamin A.',
      'حصبة: إعطاء فيتامين أ.',
      'Sarampión: dé vitamina A.',
    ),
    yesNo('ear', ['Ear problem', 'مشكلة في الأذن', 'Problema de oído']),
    choices(
      'ear_signs',
      ['Signs of the ear', 'علامات الأذن', 'Signos del oído'],
      [
        ['pain', 'Ear pain', 'ألم في الأذن', 'Dolor de oído'],
        [
          'pus',
          'Discharge for less than 14 days',
          'سيلان منذ أقل من 14 يومًا',
          'Secreción desde hace menos de 14 días',
        ],
        [
          'pus_long',
          'Discharge for 14 days or more',
          'سيلان منذ 14 يومًا أو أكثر',
          'Secreción desde hace 14 días o más',
        ],
        [
          'mastoid',
          'Tender swelling behind the ear',
          'تورّم مؤلم خلف الأذن',
          'Tumefacción dolorosa detrás de la oreja',
        ],
      ],
      { showIf: when('ear', 'is', 'yes') },
    ),
    emergency(
      'mastoiditis',
      when('ear_signs', 'is', 'mastoid'),
      'Mastoiditis: give the first dose of antibiotic and paracetamol, and refer urgently.',
      'التهاب الخشّاء: إعطاء أول جرعة من المضاد الحيوي والباراسيتامول، والإحالة عاجلًا.',
      'Mastoiditis: dé la primera dosis de antibiótico y paracetamol, y derive con urgencia.',
    ),
    urgent(
      'ear_acute',
      allOf(oneOf('ear_signs', 'pain', 'pus'), noneOf(oneOf('ear_signs', 'mastoid', 'pus_long'))),
      'Acute ear infection: give an oral antibiotic for 5 days and paracetamol, dry the ear by wicking, and see again in 5 days.',
      'التهاب أذن حاد: إعطاء مضاد حيوي فموي 5 أيام وباراسيتامول، وتجفيف الأذن بالفتيل، والمراجعة بعد 5 أيام.',
      'Infección aguda del oído: dé un antibiótico oral durante 5 días y paracetamol, seque el oído con mecha y vuelva a verlo en 5 días.',
    ),
    advice(
      'ear_chronic',
      allOf(when('ear_signs', 'is', 'pus_long'), noneOf(when('ear_signs', 'is', 'mastoid'))),
      'Chronic ear infection: dry the ear by wicking, treat with topical quinolone drops for 14 days, and see again in 5 days.',
      'التهاب أذن مزمن: تجفيف الأذن بالفتيل، والعلاج بقطرات كينولون موضعية 14 يومًا، والمراجعة بعد 5 أيام.',
      'Infección crónica del oído: seque el oído con mecha, trate con gotas tópicas de quinolona durante 14 días y vuelva a verlo en 5 días.',
    ),
    heading('feeding_heading', [
      'Feeding and prevention',
      'التغذية والوقاية',
      'Alimentación y prevención',
    ]),
    yesNo('breastfed', ['Breastfed', 'رضاعة من الأم', 'Toma el pecho'], {
      showIf: aged({ below: 24 }),
    }),
    yesNo('feeding_problem', [
      'Feeding problem found',
      'توجد مشكلة في التغذية',
      'Problema de alimentación',
    ]),
    choices(
      'contact',
      ['Exposure', 'التعرّض', 'Exposición'],
      [
        [
          'hiv',
          'Mother or child with HIV',
          'إصابة الأم أو الطفل بفيروس نقص المناعة (HIV)',
          'Madre o niño con VIH',
        ],
        ['tb', 'Tuberculosis in the household', 'سلّ في المنزل', 'Tuberculosis en el hogar'],
        ['none', 'None of these', 'لا شيء مما سبق', 'Ninguna de las anteriores'],
      ],
    ),
    yesNo('vaccines', ['Vaccines up to date', 'اللقاحات مستكملة', 'Vacunas al día']),
    choices(
      'given',
      ['Given today', 'أُعطي اليوم', 'Administrado o entregado hoy'],
      [
        [
          'ors',
          'Oral rehydration salts',
          'أملاح الإماهة الفموية (ORS)',
          'Sales de rehidratación oral',
        ],
        ['zinc', 'Zinc', 'زنك', 'Zinc'],
        ['vitamin_a', 'Vitamin A', 'فيتامين أ', 'Vitamina A'],
        ['deworming', 'Deworming', 'علاج الديدان', 'Desparasitación'],
        [
          'rutf',
          'Ready-to-use therapeutic food',
          'غذاء علاجي جاهز للاستعمال (RUTF)',
          'Alimento terapéutico listo para el consumo',
        ],
      ],
    ),
    longText('assessment', ['Assessment', 'التقييم', 'Evaluación']),
    medicines(),
    yesNo('return_explained', [
      'Caregiver told when to return immediately',
      'شُرح للأهل متى تجب العودة فورًا',
      'Se explicó al cuidador cuándo volver de inmediato',
    ]),
    nextVisit(),
  ],
)
