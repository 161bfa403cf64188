/* parts.h - what embed.sh makes of the styles and scripts. Private to page.c. */
#ifndef PAGE_PARTS_H
#define PAGE_PARTS_H

extern const char page_css[], page_js[];

#endif
