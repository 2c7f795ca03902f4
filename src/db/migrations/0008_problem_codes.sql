-- Lists of codes to pick a problem from, and what binds vital signs and problems to an archived clinic.

-- What two spellings have in common: case, accents, Arabic vowel signs and the letters that people write either way
-- (alef with hamza or without, teh marbuta and heh, alef maksura and yeh). unaccent alone is only stable: its dictionary
-- could be changed; ours is not.
create function code_search_key(text) returns text language sql immutable parallel safe as $$
  select translate(regexp_replace(lower(public.unaccent('public.unaccent', $1)), '[\u064B-\u065F\u0640\u0670]', '', 'g'), 'أإآٱىةؤئ', 'اااايهوي')
$$;

create table problem_codes (
  system      text not null constraint problem_codes_system_check check (system in ('icd10cm', 'icd10', 'icd11', 'snomed')),
  code        text not null constraint problem_codes_code_check check (code <> '' and length(code) <= 50),
  label_en    text,
  label_ar    text,
  label_es    text,
  -- comes first in a search: what clinics see every day, among tens of thousands of an imported list
  is_common   boolean not null default false,
  imported_at timestamptz(3),
  search      text not null generated always as
                (code_search_key(code || ' ' || coalesce(label_en, '') || ' ' || coalesce(label_ar, '') || ' ' || coalesce(label_es, ''))) stored,
  primary key (system, code),
  constraint problem_codes_label_check check (coalesce(label_en, label_ar, label_es) is not null)
);
create index problem_codes_search_idx on problem_codes using gin (search gin_trgm_ops);

-- What a misspelled word may have meant: a lower bar than pg_trgm's own, so that a missing letter of a short word passes.
create function similar_problem_codes(key text) returns setof problem_codes language sql stable
  set pg_trgm.word_similarity_threshold = 0.4 as $$
  select * from problem_codes where key <% search
$$;

-- Common problems of primary care. The codes are facts of ICD-10; the words, in three languages, are ours and not the
-- classification's: WHO does not permit redistributing that (who.int/about/policies/publishing/copyright). A clinic that
-- holds a licensed list imports it.
insert into problem_codes (system, code, is_common, label_en, label_ar, label_es)
select 'icd10', code, true, label_en, label_ar, label_es from (values
  ('A00', 'Cholera', 'الكوليرا', 'Cólera'),
  ('A01.0', 'Typhoid fever', 'الحمى التيفية', 'Fiebre tifoidea'),
  ('A06.9', 'Amoebiasis', 'داء الأميبات', 'Amebiasis'),
  ('A09', 'Gastroenteritis, infectious', 'التهاب المعدة والأمعاء المعدي', 'Gastroenteritis infecciosa'),
  ('A15', 'Tuberculosis of the lung', 'السل الرئوي', 'Tuberculosis pulmonar'),
  ('A16.9', 'Tuberculosis, not confirmed by bacteriology', 'سل غير مثبت جرثوميًا', 'Tuberculosis sin confirmación bacteriológica'),
  ('A23.9', 'Brucellosis', 'داء البروسيلات (الحمى المالطية)', 'Brucelosis'),
  ('A37.9', 'Whooping cough', 'السعال الديكي', 'Tos ferina'),
  ('A46', 'Erysipelas', 'الحمرة (التهاب الجلد)', 'Erisipela'),
  ('A53.9', 'Syphilis', 'الزهري', 'Sífilis'),
  ('A54.9', 'Gonorrhoea', 'السيلان', 'Gonorrea'),
  ('A64', 'Sexually transmitted infection, unspecified', 'عدوى منقولة جنسيًا غير محددة', 'Infección de transmisión sexual no especificada'),
  ('A71.9', 'Trachoma', 'التراخوما', 'Tracoma'),
  ('A82.9', 'Rabies', 'داء الكلب', 'Rabia'),
  ('A90', 'Dengue', 'حمى الضنك', 'Dengue'),
  ('B00.9', 'Herpes simplex', 'الهربس البسيط', 'Herpes simple'),
  ('B01.9', 'Chickenpox', 'جدري الماء', 'Varicela'),
  ('B02.9', 'Shingles', 'الهربس النطاقي (زنار النار)', 'Herpes zóster'),
  ('B05.9', 'Measles', 'الحصبة', 'Sarampión'),
  ('B15.9', 'Hepatitis A', 'التهاب الكبد أ', 'Hepatitis A'),
  ('B16.9', 'Hepatitis B, acute', 'التهاب الكبد ب الحاد', 'Hepatitis B aguda'),
  ('B18.1', 'Hepatitis B, chronic', 'التهاب الكبد ب المزمن', 'Hepatitis B crónica'),
  ('B18.2', 'Hepatitis C, chronic', 'التهاب الكبد ج المزمن', 'Hepatitis C crónica'),
  ('B24', 'HIV disease', 'داء فيروس العوز المناعي البشري', 'Enfermedad por VIH'),
  ('B26.9', 'Mumps', 'النكاف (أبو كعب)', 'Paperas'),
  ('B35.9', 'Ringworm (tinea)', 'السعفة (فطريات الجلد)', 'Tiña'),
  ('B36.0', 'Pityriasis versicolor', 'النخالية المبرقشة', 'Pitiriasis versicolor'),
  ('B37.0', 'Oral thrush', 'سلاق الفم', 'Candidiasis oral'),
  ('B37.3', 'Vaginal candidiasis', 'داء المبيضات المهبلي', 'Candidiasis vaginal'),
  ('B54', 'Malaria', 'الملاريا', 'Malaria (paludismo)'),
  ('B55.1', 'Cutaneous leishmaniasis', 'اللشمانيا الجلدية (حبة حلب)', 'Leishmaniasis cutánea'),
  ('B55.0', 'Visceral leishmaniasis', 'اللشمانيا الحشوية', 'Leishmaniasis visceral'),
  ('B65.9', 'Schistosomiasis', 'داء البلهارسيات', 'Esquistosomiasis'),
  ('B82.0', 'Intestinal worms', 'ديدان معوية', 'Parásitos intestinales (helmintos)'),
  ('B85.0', 'Head lice', 'قمل الرأس', 'Piojos de la cabeza'),
  ('B86', 'Scabies', 'الجرب', 'Sarna (escabiosis)'),
  ('C50.9', 'Breast cancer', 'سرطان الثدي', 'Cáncer de mama'),
  ('C53.9', 'Cervical cancer', 'سرطان عنق الرحم', 'Cáncer de cuello uterino'),
  ('C34.9', 'Lung cancer', 'سرطان الرئة', 'Cáncer de pulmón'),
  ('C61', 'Prostate cancer', 'سرطان البروستات', 'Cáncer de próstata'),
  ('C18.9', 'Colon cancer', 'سرطان القولون', 'Cáncer de colon'),
  ('D50.9', 'Iron deficiency anaemia', 'فقر الدم بعوز الحديد', 'Anemia ferropénica'),
  ('D56.9', 'Thalassaemia', 'الثلاسيميا', 'Talasemia'),
  ('D57.1', 'Sickle cell disease', 'داء الخلايا المنجلية', 'Drepanocitosis'),
  ('D55.0', 'G6PD deficiency', 'عوز إنزيم G6PD (التفول)', 'Déficit de G6PD'),
  ('D64.9', 'Anaemia, unspecified', 'فقر دم غير محدد', 'Anemia no especificada'),
  ('E03.9', 'Hypothyroidism', 'قصور الغدة الدرقية', 'Hipotiroidismo'),
  ('E04.9', 'Goitre', 'تضخم الغدة الدرقية (الدراق)', 'Bocio'),
  ('E05.9', 'Hyperthyroidism', 'فرط نشاط الغدة الدرقية', 'Hipertiroidismo'),
  ('E10.9', 'Type 1 diabetes', 'داء السكري من النوع الأول', 'Diabetes tipo 1'),
  ('E11.9', 'Type 2 diabetes', 'داء السكري من النوع الثاني', 'Diabetes tipo 2'),
  ('E11.5', 'Type 2 diabetes with diabetic foot or circulatory complications', 'سكري من النوع الثاني مع قدم سكرية أو مضاعفات وعائية', 'Diabetes tipo 2 con pie diabético o complicaciones circulatorias'),
  ('E43', 'Severe acute malnutrition', 'سوء التغذية الحاد الوخيم', 'Desnutrición aguda grave'),
  ('E44.0', 'Moderate malnutrition', 'سوء التغذية المتوسط', 'Desnutrición moderada'),
  ('E50.9', 'Vitamin A deficiency', 'عوز فيتامين أ', 'Déficit de vitamina A'),
  ('E55.9', 'Vitamin D deficiency', 'عوز فيتامين د', 'Déficit de vitamina D'),
  ('E66.9', 'Obesity', 'السمنة', 'Obesidad'),
  ('E78.5', 'High blood lipids', 'ارتفاع شحوم الدم', 'Dislipidemia'),
  ('E86', 'Dehydration', 'التجفاف', 'Deshidratación'),
  ('F03', 'Dementia', 'الخرف', 'Demencia'),
  ('F10.2', 'Alcohol dependence', 'الاعتماد على الكحول', 'Dependencia del alcohol'),
  ('F17.2', 'Tobacco dependence', 'الاعتماد على التبغ', 'Dependencia del tabaco'),
  ('F20.9', 'Schizophrenia', 'الفصام', 'Esquizofrenia'),
  ('F31.9', 'Bipolar disorder', 'اضطراب ثنائي القطب', 'Trastorno bipolar'),
  ('F32.9', 'Depression', 'الاكتئاب', 'Depresión'),
  ('F41.1', 'Generalized anxiety disorder', 'اضطراب القلق العام', 'Trastorno de ansiedad generalizada'),
  ('F41.0', 'Panic disorder', 'اضطراب الهلع', 'Trastorno de pánico'),
  ('F43.1', 'Post-traumatic stress disorder', 'اضطراب الكرب التالي للصدمة', 'Trastorno por estrés postraumático'),
  ('F79', 'Intellectual disability', 'إعاقة ذهنية', 'Discapacidad intelectual'),
  ('F84.0', 'Autism', 'التوحد', 'Autismo'),
  ('F90.0', 'Attention deficit hyperactivity disorder', 'اضطراب فرط الحركة ونقص الانتباه', 'Trastorno por déficit de atención e hiperactividad'),
  ('F98.0', 'Bed-wetting', 'التبول اللاإرادي الليلي', 'Enuresis'),
  ('G20', 'Parkinson''s disease', 'داء باركنسون', 'Enfermedad de Parkinson'),
  ('G40.9', 'Epilepsy', 'الصرع', 'Epilepsia'),
  ('G43.9', 'Migraine', 'الشقيقة (الصداع النصفي)', 'Migraña'),
  ('G44.2', 'Tension headache', 'صداع التوتر', 'Cefalea tensional'),
  ('G47.0', 'Insomnia', 'الأرق', 'Insomnio'),
  ('G51.0', 'Facial palsy (Bell)', 'شلل الوجه النصفي (بيل)', 'Parálisis facial (de Bell)'),
  ('G56.0', 'Carpal tunnel syndrome', 'متلازمة النفق الرسغي', 'Síndrome del túnel carpiano'),
  ('G80.9', 'Cerebral palsy', 'الشلل الدماغي', 'Parálisis cerebral'),
  ('H10.9', 'Conjunctivitis', 'التهاب الملتحمة', 'Conjuntivitis'),
  ('H25.9', 'Cataract', 'الساد (الماء الأبيض)', 'Catarata'),
  ('H40.9', 'Glaucoma', 'الزرق (الماء الأزرق)', 'Glaucoma'),
  ('H52.7', 'Refractive error', 'خطأ انكسار البصر', 'Error de refracción'),
  ('H54.9', 'Impaired vision', 'ضعف البصر', 'Baja visión'),
  ('H60.9', 'Otitis externa', 'التهاب الأذن الخارجية', 'Otitis externa'),
  ('H66.9', 'Otitis media', 'التهاب الأذن الوسطى', 'Otitis media'),
  ('H91.9', 'Hearing loss', 'نقص السمع', 'Hipoacusia'),
  ('I10', 'Hypertension', 'ارتفاع ضغط الدم', 'Hipertensión arterial'),
  ('I20.9', 'Angina', 'الذبحة الصدرية', 'Angina de pecho'),
  ('I21.9', 'Myocardial infarction, acute', 'احتشاء عضلة القلب الحاد', 'Infarto agudo de miocardio'),
  ('I25.9', 'Ischaemic heart disease, chronic', 'داء القلب الإقفاري المزمن', 'Cardiopatía isquémica crónica'),
  ('I48', 'Atrial fibrillation', 'الرجفان الأذيني', 'Fibrilación auricular'),
  ('I50.9', 'Heart failure', 'قصور القلب', 'Insuficiencia cardíaca'),
  ('I09.9', 'Rheumatic heart disease', 'داء القلب الروماتيزمي', 'Cardiopatía reumática'),
  ('I64', 'Stroke', 'السكتة الدماغية', 'Accidente cerebrovascular'),
  ('I73.9', 'Peripheral artery disease', 'داء الشرايين المحيطية', 'Enfermedad arterial periférica'),
  ('I80.2', 'Deep vein thrombosis', 'خثار الأوردة العميقة', 'Trombosis venosa profunda'),
  ('I83.9', 'Varicose veins', 'دوالي الساقين', 'Varices de las piernas'),
  ('I84', 'Haemorrhoids', 'البواسير', 'Hemorroides'),
  ('J00', 'Common cold', 'الزكام', 'Resfriado común'),
  ('J01.9', 'Sinusitis, acute', 'التهاب الجيوب الحاد', 'Sinusitis aguda'),
  ('J02.9', 'Sore throat (pharyngitis)', 'التهاب البلعوم', 'Faringitis'),
  ('J03.9', 'Tonsillitis', 'التهاب اللوزتين', 'Amigdalitis'),
  ('J06.9', 'Upper respiratory infection', 'عدوى الجهاز التنفسي العلوي', 'Infección respiratoria alta'),
  ('J11', 'Influenza', 'الإنفلونزا', 'Gripe'),
  ('J18.9', 'Pneumonia', 'ذات الرئة (الالتهاب الرئوي)', 'Neumonía'),
  ('J20.9', 'Bronchitis, acute', 'التهاب القصبات الحاد', 'Bronquitis aguda'),
  ('J21.9', 'Bronchiolitis', 'التهاب القصيبات', 'Bronquiolitis'),
  ('J30.4', 'Allergic rhinitis', 'التهاب الأنف التحسسي', 'Rinitis alérgica'),
  ('J44.9', 'Chronic obstructive pulmonary disease', 'الداء الرئوي الانسدادي المزمن', 'Enfermedad pulmonar obstructiva crónica'),
  ('J45.9', 'Asthma', 'الربو', 'Asma'),
  ('K02.9', 'Tooth decay', 'تسوس الأسنان', 'Caries dental'),
  ('K04.7', 'Dental abscess', 'خراج سني', 'Absceso dental'),
  ('K05.1', 'Gum inflammation (gingivitis)', 'التهاب اللثة', 'Gingivitis'),
  ('K21.9', 'Reflux disease', 'داء الارتجاع المعدي المريئي', 'Enfermedad por reflujo'),
  ('K27', 'Peptic ulcer', 'القرحة الهضمية', 'Úlcera péptica'),
  ('K29.7', 'Gastritis', 'التهاب المعدة', 'Gastritis'),
  ('K35', 'Appendicitis', 'التهاب الزائدة الدودية', 'Apendicitis'),
  ('K40.9', 'Inguinal hernia', 'الفتق الإربي', 'Hernia inguinal'),
  ('K58.9', 'Irritable bowel syndrome', 'متلازمة القولون العصبي', 'Síndrome del intestino irritable'),
  ('K59.0', 'Constipation', 'الإمساك', 'Estreñimiento'),
  ('K74.6', 'Cirrhosis of the liver', 'تشمع الكبد', 'Cirrosis hepática'),
  ('K80.2', 'Gallstones', 'حصى المرارة', 'Cálculos biliares'),
  ('L01.0', 'Impetigo', 'القوباء', 'Impétigo'),
  ('L02.9', 'Skin abscess or boil', 'خراج أو دمل جلدي', 'Absceso cutáneo o forúnculo'),
  ('L03.9', 'Cellulitis', 'التهاب النسيج الخلوي', 'Celulitis'),
  ('L20.9', 'Atopic eczema', 'الأكزيما التأتبية', 'Eccema atópico'),
  ('L21.9', 'Seborrhoeic dermatitis', 'التهاب الجلد الدهني', 'Dermatitis seborreica'),
  ('L22', 'Nappy rash', 'التهاب جلد الحفاض', 'Dermatitis del pañal'),
  ('L30.9', 'Dermatitis, unspecified', 'التهاب جلد غير محدد', 'Dermatitis no especificada'),
  ('L40.9', 'Psoriasis', 'الصدفية', 'Psoriasis'),
  ('L50.9', 'Urticaria', 'الشرى', 'Urticaria'),
  ('L70.0', 'Acne', 'حب الشباب', 'Acné'),
  ('L89', 'Pressure ulcer', 'قرحة الضغط', 'Úlcera por presión'),
  ('L97', 'Leg ulcer', 'قرحة الساق', 'Úlcera de la pierna'),
  ('M06.9', 'Rheumatoid arthritis', 'التهاب المفاصل الروماتويدي', 'Artritis reumatoide'),
  ('M10.9', 'Gout', 'النقرس', 'Gota'),
  ('M17.9', 'Osteoarthritis of the knee', 'الفصال العظمي للركبة', 'Artrosis de rodilla'),
  ('M19.9', 'Osteoarthritis', 'الفصال العظمي', 'Artrosis'),
  ('M25.5', 'Joint pain', 'ألم المفاصل', 'Dolor articular'),
  ('M54.2', 'Neck pain', 'ألم الرقبة', 'Dolor de cuello'),
  ('M54.4', 'Sciatica with back pain', 'ألم الظهر مع عرق النسا', 'Lumbago con ciática'),
  ('M54.5', 'Low back pain', 'ألم أسفل الظهر', 'Dolor lumbar'),
  ('M79.1', 'Muscle pain', 'ألم العضلات', 'Dolor muscular'),
  ('M81.9', 'Osteoporosis', 'هشاشة العظام', 'Osteoporosis'),
  ('N10', 'Pyelonephritis', 'التهاب الحويضة والكلية', 'Pielonefritis'),
  ('N18.9', 'Chronic kidney disease', 'داء الكلى المزمن', 'Enfermedad renal crónica'),
  ('N20.0', 'Kidney stone', 'حصاة الكلية', 'Cálculo renal'),
  ('N30.9', 'Cystitis', 'التهاب المثانة', 'Cistitis'),
  ('N39.0', 'Urinary tract infection', 'عدوى المسالك البولية', 'Infección urinaria'),
  ('N40', 'Enlarged prostate', 'تضخم البروستات', 'Hiperplasia de próstata'),
  ('N61', 'Mastitis', 'التهاب الثدي', 'Mastitis'),
  ('N73.9', 'Pelvic inflammatory disease', 'الداء الالتهابي الحوضي', 'Enfermedad inflamatoria pélvica'),
  ('N76.0', 'Vaginitis', 'التهاب المهبل', 'Vaginitis'),
  ('N92.0', 'Heavy menstrual bleeding', 'غزارة الطمث', 'Menstruación abundante'),
  ('N94.6', 'Painful menstruation', 'عسر الطمث', 'Dismenorrea'),
  ('N95.1', 'Menopausal symptoms', 'أعراض سن اليأس', 'Síntomas de la menopausia'),
  ('N97.9', 'Infertility, female', 'العقم عند المرأة', 'Infertilidad femenina'),
  ('O03.9', 'Miscarriage', 'الإجهاض التلقائي', 'Aborto espontáneo'),
  ('O13', 'High blood pressure of pregnancy', 'ارتفاع ضغط الدم الحملي', 'Hipertensión gestacional'),
  ('O14.9', 'Pre-eclampsia', 'ما قبل الإرجاج (تسمم الحمل)', 'Preeclampsia'),
  ('O21.0', 'Vomiting in pregnancy', 'قيء الحمل', 'Vómitos del embarazo'),
  ('O24.4', 'Diabetes of pregnancy', 'السكري الحملي', 'Diabetes gestacional'),
  ('O99.0', 'Anaemia in pregnancy', 'فقر الدم في الحمل', 'Anemia del embarazo'),
  ('P07.3', 'Preterm birth', 'الولادة المبكرة (خداج)', 'Nacimiento prematuro'),
  ('P59.9', 'Jaundice of the newborn', 'يرقان الوليد', 'Ictericia neonatal'),
  ('Q21.9', 'Heart defect, congenital', 'عيب قلبي خلقي', 'Cardiopatía congénita'),
  ('Q90.9', 'Down syndrome', 'متلازمة داون', 'Síndrome de Down'),
  ('R05', 'Cough', 'السعال', 'Tos'),
  ('R06.0', 'Shortness of breath', 'ضيق التنفس', 'Dificultad para respirar'),
  ('R07.4', 'Chest pain', 'ألم الصدر', 'Dolor torácico'),
  ('R10.4', 'Abdominal pain', 'ألم البطن', 'Dolor abdominal'),
  ('R11', 'Nausea and vomiting', 'الغثيان والقيء', 'Náuseas y vómitos'),
  ('R42', 'Dizziness', 'الدوخة', 'Mareo'),
  ('R50.9', 'Fever', 'الحمى', 'Fiebre'),
  ('R51', 'Headache', 'الصداع', 'Cefalea'),
  ('R53', 'Fatigue', 'التعب', 'Cansancio'),
  ('R56.0', 'Febrile convulsion', 'الاختلاج الحراري', 'Convulsión febril'),
  ('R62.8', 'Growth faltering', 'فشل النمو', 'Retraso del crecimiento'),
  ('R63.4', 'Weight loss', 'فقدان الوزن', 'Pérdida de peso'),
  ('S01.9', 'Wound of the head', 'جرح في الرأس', 'Herida en la cabeza'),
  ('S06.0', 'Concussion', 'ارتجاج الدماغ', 'Conmoción cerebral'),
  ('S52.9', 'Fracture of the forearm', 'كسر الساعد', 'Fractura del antebrazo'),
  ('S61.9', 'Wound of the hand', 'جرح في اليد', 'Herida en la mano'),
  ('S82.9', 'Fracture of the lower leg', 'كسر الساق', 'Fractura de la pierna'),
  ('S93.4', 'Sprained ankle', 'التواء الكاحل', 'Esguince de tobillo'),
  ('T14.1', 'Open wound', 'جرح مفتوح', 'Herida abierta'),
  ('T30.0', 'Burn', 'حرق', 'Quemadura'),
  ('T63.0', 'Snake bite', 'لدغة أفعى', 'Mordedura de serpiente'),
  ('T63.2', 'Scorpion sting', 'لسعة عقرب', 'Picadura de escorpión'),
  ('T78.4', 'Allergy, unspecified', 'حساسية غير محددة', 'Alergia no especificada'),
  ('W54', 'Dog bite', 'عضة كلب', 'Mordedura de perro'),
  ('Z21', 'HIV positive without symptoms', 'إيجابي لفيروس العوز المناعي بلا أعراض', 'VIH positivo sin síntomas'),
  ('Z33', 'Pregnancy', 'الحمل', 'Embarazo'),
  ('Z73.3', 'Stress', 'الضغط النفسي', 'Estrés'),
  ('U07.1', 'COVID-19', 'كوفيد-19', 'COVID-19')
) common (code, label_en, label_ar, label_es);

-- An archived clinic is read-only, and so is what was recorded in its visits.
create function refuse_in_archived_visit() returns trigger language plpgsql as $$
begin
  if exists (select from visits v join clinics c on c.id = v.clinic_id
             where v.id = new.visit_id and not v.is_deleted and c.is_archived and not c.is_deleted) then
    raise exception 'this clinic is archived' using errcode = 'restrict_violation', constraint = 'clinics_archived';
  end if;
  return new;
end $$;
create trigger archived before insert or update on patient_vitals
  for each row when (new.visit_id is not null) execute function refuse_in_archived_visit();
create trigger archived before insert or update on patient_problems
  for each row when (new.visit_id is not null) execute function refuse_in_archived_visit();

-- Everything that happened to a patient, by date: which record, of which table. Later nouns replace the view to join in.
create view patient_timeline as
  select patient_id, check_in_timestamp as at, 'visits' as kind, id from visits where not is_deleted
  union all
  select patient_id, timestamp as at, 'patient_vitals' as kind, id from patient_vitals where not is_deleted
  union all
  select patient_id, coalesce(onset_date, created_at) as at, 'patient_problems' as kind, id from patient_problems where not is_deleted;
